package dev.tutti.nn;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that layers have in files. */
public final class LayerDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(Sequential.class, "sequential"),
                Map.entry(Graph.class, "graph"),
                Map.entry(Dense.class, "dense"),
                Map.entry(Conv1d.class, "conv1d"),
                Map.entry(Conv2d.class, "conv2d"),
                Map.entry(ConvTranspose1d.class, "convTranspose1d"),
                Map.entry(ConvTranspose2d.class, "convTranspose2d"),
                Map.entry(MaxPool1d.class, "maxPool1d"),
                Map.entry(MaxPool2d.class, "maxPool2d"),
                Map.entry(AvgPool1d.class, "avgPool1d"),
                Map.entry(AvgPool2d.class, "avgPool2d"),
                Map.entry(GlobalMaxPool1d.class, "globalMaxPool1d"),
                Map.entry(GlobalMaxPool2d.class, "globalMaxPool2d"),
                Map.entry(GlobalAvgPool1d.class, "globalAvgPool1d"),
                Map.entry(GlobalAvgPool2d.class, "globalAvgPool2d"),
                Map.entry(Flatten.class, "flatten"),
                Map.entry(Reshape.class, "reshape"),
                Map.entry(Permute.class, "permute"),
                Map.entry(Dropout.class, "dropout"),
                Map.entry(BatchNorm.class, "batchNorm"),
                Map.entry(LayerNorm.class, "layerNorm"),
                Map.entry(RmsNorm.class, "rmsNorm"),
                Map.entry(SwiGlu.class, "swiGlu"),
                Map.entry(Embedding.class, "embedding"),
                Map.entry(PositionalEncoding.class, "positionalEncoding"),
                Map.entry(Lstm.class, "lstm"),
                Map.entry(Gru.class, "gru"),
                Map.entry(Attention.class, "attention"),
                Map.entry(TransformerEncoder.class, "transformerEncoder"),
                Map.entry(TokenEmbedding.class, "tokenEmbedding"),
                Map.entry(TiedEmbedding.class, "tiedEmbedding"),
                Map.entry(TiedDense.class, "tiedDense"),
                Map.entry(PaddingMask.class, "paddingMask"),
                Map.entry(SequencePool.class, "sequencePool"),
                Map.entry(UnitNorm.class, "unitNorm"),
                Map.entry(Experts.class, "experts"),
                Map.entry(ExpertGate.class, "expertGate"),
                Map.entry(CrossStitch.class, "crossStitch"),
                Map.entry(Residual.class, "residual"),
                Map.entry(Add.class, "add"),
                Map.entry(Multiply.class, "multiply"),
                Map.entry(Dot.class, "dot"),
                Map.entry(Concatenate.class, "concatenate"),
                Map.entry(ActivationLayer.class, "activation"),
                Map.entry(TorchScript.class, "torchScript"));
    }
}
