package dev.tutti.transfer.huggingface;

import static dev.tutti.nn.Layers.paddingMask;
import static dev.tutti.nn.Layers.sequencePool;
import static dev.tutti.nn.Layers.tokenEmbedding;
import static dev.tutti.nn.Layers.transformerEncoder;
import static dev.tutti.nn.Layers.unitNorm;
import static dev.tutti.transfer.huggingface.ForeignLayout.whole;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.Shape;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** BERT, MiniLM and DistilBERT: encoders that normalise after each sum. Tokens with the padding id are masked. */
final class BertLayout implements ForeignLayout {
    /** What the tensors of a family are called. */
    private record Names(
            String block,
            List<String> attention,
            String attended,
            String attentionNorm,
            String wide,
            String narrow,
            String norm) {}

    private static final Names BERT = new Names(
            "encoder.layer.",
            List.of("attention.self.query", "attention.self.key", "attention.self.value"),
            "attention.output.dense",
            "attention.output.LayerNorm",
            "intermediate.dense",
            "output.dense",
            "output.LayerNorm");
    private static final Names DISTIL_BERT = new Names(
            "transformer.layer.",
            List.of("attention.q_lin", "attention.k_lin", "attention.v_lin"),
            "attention.out_lin",
            "sa_layer_norm",
            "ffn.lin1",
            "ffn.lin2",
            "output_layer_norm");

    private record Sizes(
            int vocabulary, int width, int inner, int heads, int layers, int positions, int types, double epsilon) {}

    private final Names names;
    private final Sizes sizes;
    private final String prefix;
    private final String activation;
    private final double dropout;
    private final int paddingId;
    private final SentencePooling pooling;

    private BertLayout(
            Names names,
            Sizes sizes,
            String prefix,
            String activation,
            double dropout,
            int paddingId,
            SentencePooling pooling) {
        this.names = names;
        this.sizes = sizes;
        this.prefix = prefix;
        this.activation = activation;
        this.dropout = dropout;
        this.paddingId = paddingId;
        this.pooling = pooling;
    }

    static BertLayout bert(JsonNode config, Set<String> tensors, SentencePooling pooling) {
        Sizes sizes = new Sizes(
                whole(config, "vocab_size"),
                whole(config, "hidden_size"),
                whole(config, "intermediate_size"),
                whole(config, "num_attention_heads"),
                whole(config, "num_hidden_layers"),
                whole(config, "max_position_embeddings"),
                whole(config, "type_vocab_size"),
                config.path("layer_norm_eps").asDouble(1e-12));
        return new BertLayout(
                BERT,
                sizes,
                prefix(tensors, "bert."),
                config.path("hidden_act").asText("gelu"),
                config.path("hidden_dropout_prob").asDouble(),
                config.path("pad_token_id").asInt(),
                pooling);
    }

    static BertLayout distilBert(JsonNode config, Set<String> tensors, SentencePooling pooling) {
        Sizes sizes = new Sizes(
                whole(config, "vocab_size"),
                whole(config, "dim"),
                whole(config, "hidden_dim"),
                whole(config, "n_heads"),
                whole(config, "n_layers"),
                whole(config, "max_position_embeddings"),
                0,
                1e-12);
        return new BertLayout(
                DISTIL_BERT,
                sizes,
                prefix(tensors, "distilbert."),
                config.path("activation").asText("gelu"),
                config.path("dropout").asDouble(),
                config.path("pad_token_id").asInt(),
                pooling);
    }

    /** Models with a head of their own have the encoder's tensors below a name. */
    private static String prefix(Set<String> tensors, String name) {
        return tensors.stream().anyMatch(tensor -> tensor.startsWith(name)) ? name : "";
    }

    @Override
    public Layer definition() {
        Graph graph = Graph.inputs("ids")
                .add("mask", paddingMask(paddingId), "ids")
                .add(
                        "embeddings",
                        tokenEmbedding(sizes.vocabulary, sizes.width)
                                .maxLength(sizes.positions)
                                .types(sizes.types)
                                .epsilon(sizes.epsilon)
                                .dropout(dropout),
                        "ids");
        String last = "embeddings";
        for (int i = 0; i < sizes.layers; i++) {
            Layer block = transformerEncoder(sizes.heads)
                    .inner(sizes.inner)
                    .innerActivation(ForeignLayout.activation(activation))
                    .epsilon(sizes.epsilon)
                    .dropout(dropout)
                    .postNorm();
            graph = graph.add("layer" + i, block, last, "mask");
            last = "layer" + i;
        }
        if (pooling.kind() != SentencePooling.Kind.NONE) {
            Layer pool = pooling.kind() == SentencePooling.Kind.MEAN
                    ? sequencePool()
                    : sequencePool().first();
            graph = graph.add("pooled", pool, last, "mask");
            last = "pooled";
        }
        if (pooling.unit()) {
            graph = graph.add("unit", unitNorm(), last);
            last = "unit";
        }
        return graph.outputs(last);
    }

    @Override
    public List<Input> inputs() {
        return List.of(Input.ids(Shape.ANY));
    }

    @Override
    public List<TensorRule> rules() {
        String embeddings = prefix + "embeddings.";
        List<TensorRule> rules = new ArrayList<>();
        rules.add(TensorRule.same("embeddings.word.weight", embeddings + "word_embeddings.weight"));
        rules.add(TensorRule.same("embeddings.position.weight", embeddings + "position_embeddings.weight"));
        if (sizes.types > 0) {
            rules.add(TensorRule.same("embeddings.type.weight", embeddings + "token_type_embeddings.weight"));
        }
        rules.addAll(TensorRule.weightAndBias("embeddings.norm", embeddings + "LayerNorm"));
        for (int i = 0; i < sizes.layers; i++) {
            String here = "layer" + i + ".";
            String there = prefix + names.block + i + ".";
            for (String part : List.of("weight", "bias")) {
                rules.add(TensorRule.joined(
                        here + "self_attn.in_proj_" + part,
                        names.attention.stream()
                                .map(each -> there + each + "." + part)
                                .toArray(String[]::new)));
            }
            rules.addAll(TensorRule.weightAndBias(here + "self_attn.out_proj", there + names.attended));
            rules.addAll(TensorRule.weightAndBias(here + "norm1", there + names.attentionNorm));
            rules.addAll(TensorRule.weightAndBias(here + "linear1", there + names.wide));
            rules.addAll(TensorRule.weightAndBias(here + "linear2", there + names.narrow));
            rules.addAll(TensorRule.weightAndBias(here + "norm2", there + names.norm));
        }
        return rules;
    }
}
