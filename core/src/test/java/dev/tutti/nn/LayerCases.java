package dev.tutti.nn;

import static dev.tutti.array.Shape.ANY;
import static dev.tutti.nn.Layers.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Every layer, with the settings that change what it computes. */
final class LayerCases {
    private static final Input IMAGE = Input.of(4, 7, 6);
    private static final Input SIGNAL = Input.of(4, ANY);
    private static final Input SEQUENCE = Input.of(ANY, 4);
    private static final Input FEATURES = Input.of(6);

    private LayerCases() {}

    static List<LayerCase> all() {
        List<LayerCase> cases = new ArrayList<>(List.of(
                LayerCase.of("dense", dense(3), FEATURES),
                LayerCase.of(
                        "dense without bias, with activation",
                        dense(3).noBias().init(Initializer.HE).gelu(),
                        FEATURES),
                LayerCase.of("dense with relu", dense(3).relu(), FEATURES),
                LayerCase.of("dense on sequences", dense(3).init(Initializer.ORTHOGONAL), SEQUENCE),
                LayerCase.of("embedding", embedding(5, 3), Input.ids(ANY)),
                LayerCase.of("embedding with padding", embedding(6, 3).paddingId(5), Input.ids(4)),
                LayerCase.of("conv1d", conv1d(3, 3), SIGNAL),
                LayerCase.of(
                        "conv1d with everything",
                        conv1d(6, 3)
                                .stride(2)
                                .same()
                                .dilation(2)
                                .groups(2)
                                .noBias()
                                .relu(),
                        SIGNAL),
                LayerCase.of("conv2d", conv2d(3, 3), IMAGE),
                LayerCase.of(
                        "conv2d with everything",
                        conv2d(6, 3, 2)
                                .stride(2, 1)
                                .padding(1, 0)
                                .dilation(1, 2)
                                .groups(2)
                                .init(Initializer.GLOROT),
                        IMAGE),
                LayerCase.of("depthwise conv2d", conv2d(4, 3).same().groups(4).relu(), IMAGE),
                LayerCase.of("convTranspose1d", convTranspose1d(3, 3).stride(2).outputPadding(1), SIGNAL),
                LayerCase.of("convTranspose2d", convTranspose2d(3, 3), Input.of(4, 3, 2)),
                LayerCase.of(
                        "convTranspose2d with everything",
                        convTranspose2d(6, 3, 2)
                                .stride(2, 1)
                                .padding(1, 0)
                                .dilation(1, 2)
                                .outputPadding(1, 0)
                                .groups(2)
                                .noBias(),
                        Input.of(4, 3, 2)),
                LayerCase.of(
                        "convTranspose2d same", convTranspose2d(2, 3).stride(2).same(), Input.of(4, 3, 2)),
                LayerCase.of("maxPool1d", maxPool1d(2), SIGNAL),
                LayerCase.of("maxPool2d", maxPool2d(3, 2).stride(2).padding(1), IMAGE),
                LayerCase.of("avgPool1d", avgPool1d(3).stride(1).padding(1), SIGNAL),
                LayerCase.of("avgPool2d", avgPool2d(2), IMAGE),
                LayerCase.of("globalMaxPool1d", globalMaxPool1d(), SIGNAL),
                LayerCase.of("globalMaxPool1d, time first", globalMaxPool1d().timeFirst(), SEQUENCE),
                LayerCase.of("globalMaxPool2d", globalMaxPool2d(), IMAGE),
                LayerCase.of("globalAvgPool1d", globalAvgPool1d(), SIGNAL),
                LayerCase.of("globalAvgPool1d, time first", globalAvgPool1d().timeFirst(), SEQUENCE),
                LayerCase.of("globalAvgPool2d", globalAvgPool2d(), Input.of(3, ANY, ANY)),
                LayerCase.of("flatten", flatten(), IMAGE),
                LayerCase.of("reshape", reshape(6, -1), IMAGE),
                LayerCase.of("reshape of an open length", reshape(-1, 2), SEQUENCE),
                LayerCase.of("permute", permute(1, 0), SEQUENCE),
                LayerCase.of("dropout", dropout(0.4), FEATURES),
                LayerCase.of("batchNorm of features", batchNorm().momentum(0.3), FEATURES),
                LayerCase.of("batchNorm of signals", batchNorm().epsilon(1e-3), SIGNAL),
                LayerCase.of("batchNorm of images", batchNorm().relu(), IMAGE),
                LayerCase.of("rmsNorm", rmsNorm().epsilon(1e-3), SEQUENCE),
                LayerCase.of("swiGlu", swiGlu(5), SEQUENCE),
                LayerCase.of("layerNorm", layerNorm().epsilon(1e-3), SEQUENCE),
                LayerCase.of("layerNorm of two axes", layerNorm().axes(2), IMAGE),
                LayerCase.of("lstm", lstm(3), SEQUENCE),
                LayerCase.of("lstm, all steps", lstm(3).sequence().init(Initializer.GLOROT), SEQUENCE),
                LayerCase.of("lstm, both ways", lstm(3).bidirectional(), SEQUENCE),
                LayerCase.of(
                        "lstm, both ways, two layers, all steps",
                        lstm(2).bidirectional().layers(2).sequence(),
                        SEQUENCE),
                LayerCase.of("gru", gru(3).recurrentInit(Initializer.ORTHOGONAL), SEQUENCE),
                LayerCase.of("gru, all steps", gru(3).sequence(), SEQUENCE),
                LayerCase.of(
                        "gru, both ways, two layers", gru(2).bidirectional().layers(2), SEQUENCE),
                LayerCase.of("attention", attention(2), SEQUENCE),
                LayerCase.of(
                        "attention, causal, with dropout, without bias",
                        attention(2).causal().dropout(0.3).noBias(),
                        SEQUENCE),
                LayerCase.of("attention, causal", attention(1).causal(), SEQUENCE),
                LayerCase.of("attention with an adapter", attention(2).lora(new LowRankAdapter(2, 4)), SEQUENCE),
                LayerCase.of("dense with an adapter", dense(3).lora(new LowRankAdapter(2, 3)), Input.of(4)),
                LayerCase.of("encoder with adapters", transformerEncoder(2).lora(new LowRankAdapter(1, 1)), SEQUENCE),
                LayerCase.of(
                        "token embedding",
                        tokenEmbedding(6, 4).maxLength(9).types(2).epsilon(1e-2),
                        Input.ids(ANY)),
                LayerCase.of("tied dense", Sequential.of(embedding(6, 4), tiedDense("embedding1", 6)), Input.ids(ANY)),
                LayerCase.of("tied embedding", tiedEmbedding(6, 4, dense(4)), Input.ids(ANY)),
                LayerCase.of(
                        "encoder with a mask",
                        Graph.inputs("ids")
                                .add("mask", paddingMask(3), "ids")
                                .add("tokens", embedding(6, 4), "ids")
                                .add("block", transformerEncoder(2).postNorm(), "tokens", "mask")
                                .add("pooled", sequencePool(), "block", "mask")
                                .add("unit", unitNorm(), "pooled")
                                .outputs("unit"),
                        Input.ids(ANY)),
                LayerCase.of(
                        "experts",
                        Graph.inputs("x")
                                .add("shared", experts(2, dense(3).tanh()), "x")
                                .add("own", experts(1, dense(3).tanh()), "x")
                                .add("gate", expertGate(), "x", "shared", "own")
                                .add("other", dense(3), "x")
                                .add("stitch", crossStitch(), "gate", "other")
                                .outputs("stitch"),
                        Input.of(4)),
                LayerCase.of("first step", sequencePool().first(), SEQUENCE),
                LayerCase.of("attention to another", attention(2), Input.of(3, 4), SEQUENCE),
                LayerCase.of("attention, three inputs", attention(2), Input.of(3, 4), SEQUENCE, SEQUENCE),
                LayerCase.of("transformerEncoder", transformerEncoder(2).inner(5), SEQUENCE),
                LayerCase.of(
                        "transformerEncoder, post-norm, causal, dropout",
                        transformerEncoder(2).postNorm().causal().dropout(0.2).innerActivation(Activation.TANH),
                        SEQUENCE),
                LayerCase.of("positionalEncoding", positionalEncoding().maxLength(9), SEQUENCE),
                LayerCase.of("positionalEncoding, learned", positionalEncoding().learned(), Input.of(5, 4)),
                LayerCase.of("residual", residual(conv2d(4, 3).same().tanh(), conv2d(4, 1)), IMAGE),
                LayerCase.of(
                        "residual with shortcut",
                        residual(conv2d(3, 3).same().stride(2))
                                .shortcut(conv2d(3, 1).stride(2))
                                .gelu(),
                        IMAGE),
                LayerCase.of("add", add(), SEQUENCE, SEQUENCE, SEQUENCE),
                LayerCase.of("multiply", multiply(), FEATURES, FEATURES),
                LayerCase.of("dot", dot(), FEATURES, FEATURES),
                LayerCase.of("concatenate", concatenate(), SEQUENCE, Input.of(ANY, 2)),
                LayerCase.of("concatenate channels", concatenate(0), IMAGE, Input.of(2, 7, 6)),
                LayerCase.of(
                        "sequential", Sequential.of(conv2d(2, 3).tanh(), maxPool2d(2), flatten(), dense(3)), IMAGE),
                LayerCase.of(
                        "graph",
                        Graph.inputs("left", "right")
                                .add(
                                        "seen",
                                        Sequential.of(lstm(3).sequence(), residual(dense(3).tanh()), lstm(2)),
                                        "left")
                                .add("known", dense(2).tanh(), "right")
                                .add("both", concatenate(), "seen", "known")
                                .add("first", dense(2), "both")
                                .add("second", dense(1), "both")
                                .outputs("first", "second"),
                        SEQUENCE,
                        FEATURES),
                LayerCase.of(
                        "sequential of graph of sequential",
                        Sequential.of(
                                dense(4).tanh(),
                                Graph.inputs("x")
                                        .add("a", Sequential.of(dense(3), layerNorm()), "x")
                                        .add("b", dense(3), "x")
                                        .add("sum", add(), "a", "b")
                                        .outputs("sum")
                                        .named("middle")
                                        .tanh(),
                                dense(2)),
                        FEATURES)));
        Arrays.stream(Activation.values())
                .forEach(function -> cases.add(LayerCase.of("activation " + function, activation(function), FEATURES)));
        return cases;
    }
}
