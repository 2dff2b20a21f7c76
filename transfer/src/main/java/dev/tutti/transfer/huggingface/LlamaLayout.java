package dev.tutti.transfer.huggingface;

import static dev.tutti.nn.Layers.attention;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.rmsNorm;
import static dev.tutti.nn.Layers.swiGlu;
import static dev.tutti.nn.Layers.tiedEmbedding;
import static dev.tutti.transfer.huggingface.ForeignLayout.whole;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.Shape;
import dev.tutti.json.ConfigException;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Decoders like Llama: root mean square norms before each part, positions as turns of queries and keys, heads of queries that share keys,
 * a gated pair of dense layers, no biases.
 */
final class LlamaLayout implements ForeignLayout {
    private final JsonNode config;
    private final String prefix;
    private final int width;
    private final int heads;
    private final int keyHeads;
    private final int layers;
    private final double epsilon;
    private final boolean tied;

    LlamaLayout(JsonNode config, Set<String> tensors) {
        this.config = config;
        width = whole(config, "hidden_size");
        heads = whole(config, "num_attention_heads");
        keyHeads = config.path("num_key_value_heads").asInt(heads);
        layers = whole(config, "num_hidden_layers");
        epsilon = config.path("rms_norm_eps").asDouble(1e-6);
        prefix = tensors.stream().anyMatch(name -> name.startsWith("model.")) ? "model." : "";
        tied = config.path("tie_word_embeddings").asBoolean() || !tensors.contains("lm_head.weight");
        require("attention_bias", !config.path("attention_bias").asBoolean(), "false");
        require("mlp_bias", !config.path("mlp_bias").asBoolean(), "false");
        require("hidden_act", config.path("hidden_act").asText("silu").equals("silu"), "silu");
        require("head_dim", config.path("head_dim").asInt(width / heads) == width / heads, width / heads);
        require(
                "rope_scaling",
                ropeType("rope_scaling").equals("default")
                        && ropeType("rope_parameters").equals("default"),
                "no scaling");
        int window = config.path("sliding_window").asInt(0);
        require(
                "sliding_window",
                window == 0 || window >= config.path("max_position_embeddings").asInt(0),
                "none, or one that is not shorter than max_position_embeddings");
    }

    private String ropeType(String key) {
        JsonNode rope = config.path(key);
        return rope.path("rope_type").asText(rope.path("type").asText("default"));
    }

    private void require(String key, boolean holds, Object expected) {
        if (!holds) {
            throw new ConfigException(
                    "config.json: " + key + ": expected " + expected + ", received " + config.path(key));
        }
    }

    private double base() {
        double older = config.path("rope_theta").asDouble(10_000);
        return config.path("rope_parameters").path("rope_theta").asDouble(older);
    }

    @Override
    public Layer definition() {
        List<Layer> body = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            body.add(Sequential.of(
                            residual(
                                            norm("norm"),
                                            attention(heads)
                                                    .keyHeads(keyHeads == heads ? 0 : keyHeads)
                                                    .causal()
                                                    .rotary()
                                                    .rotaryBase(base())
                                                    .noBias()
                                                    .named("attention"))
                                    .named("attend"),
                            residual(
                                            norm("norm"),
                                            swiGlu(whole(config, "intermediate_size"))
                                                    .named("gated"))
                                    .named("feed"))
                    .named("layer" + i));
        }
        body.add(norm("norm"));
        if (tied) {
            return tiedEmbedding(whole(config, "vocab_size"), width, Sequential.of(body));
        }
        body.add(0, embedding(whole(config, "vocab_size"), width).named("embedding"));
        body.add(dense(whole(config, "vocab_size")).noBias().named("scores"));
        return Sequential.of(body);
    }

    private Layer norm(String name) {
        return rmsNorm().epsilon(epsilon).named(name);
    }

    @Override
    public List<Input> inputs() {
        return List.of(Input.ids(Shape.ANY));
    }

    @Override
    public List<TensorRule> rules() {
        String inside = tied ? "body." : "";
        List<TensorRule> rules = new ArrayList<>();
        rules.add(TensorRule.same("embedding.weight", prefix + "embed_tokens.weight"));
        long each = width / heads;
        for (int i = 0; i < layers; i++) {
            String here = inside + "layer" + i + ".";
            String there = prefix + "layers." + i + ".";
            rules.add(TensorRule.same(here + "attend.norm.weight", there + "input_layernorm.weight"));
            rules.add(TensorRule.joined(
                    here + "attend.attention.in_proj_weight",
                    List.of(
                            there + "self_attn.q_proj.weight",
                            there + "self_attn.k_proj.weight",
                            there + "self_attn.v_proj.weight"),
                    List.of(heads * each, keyHeads * each, keyHeads * each)));
            rules.add(TensorRule.same(here + "attend.attention.out_proj.weight", there + "self_attn.o_proj.weight"));
            rules.add(TensorRule.same(here + "feed.norm.weight", there + "post_attention_layernorm.weight"));
            for (String part : List.of("gate", "up", "down")) {
                rules.add(TensorRule.same(
                        here + "feed.gated." + part + ".weight", there + "mlp." + part + "_proj.weight"));
            }
        }
        rules.add(TensorRule.same(inside + "norm.weight", prefix + "norm.weight"));
        if (!tied) {
            rules.add(TensorRule.same("scores.weight", "lm_head.weight"));
        }
        return rules;
    }
}
