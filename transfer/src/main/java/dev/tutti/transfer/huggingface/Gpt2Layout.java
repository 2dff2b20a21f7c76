package dev.tutti.transfer.huggingface;

import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.layerNorm;
import static dev.tutti.nn.Layers.positionalEncoding;
import static dev.tutti.nn.Layers.tiedEmbedding;
import static dev.tutti.nn.Layers.transformerEncoder;
import static dev.tutti.transfer.huggingface.ForeignLayout.whole;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.Shape;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** GPT-2: a decoder that normalises before each part, and scores the next token by the matrix that embeds it. */
final class Gpt2Layout implements ForeignLayout {
    private final JsonNode config;
    private final String prefix;
    private final int width;
    private final int layers;

    Gpt2Layout(JsonNode config, Set<String> tensors) {
        this.config = config;
        this.width = whole(config, "n_embd");
        this.layers = whole(config, "n_layer");
        this.prefix = tensors.stream().anyMatch(name -> name.startsWith("transformer.")) ? "transformer." : "";
    }

    @Override
    public Layer definition() {
        double epsilon = config.path("layer_norm_epsilon").asDouble(1e-5);
        double rate = config.path("resid_pdrop").asDouble();
        int inner = config.path("n_inner").asInt(0);
        List<Layer> body = new ArrayList<>();
        body.add(positionalEncoding()
                .learned()
                .maxLength(whole(config, "n_positions"))
                .named("position"));
        if (rate > 0) {
            body.add(dropout(rate));
        }
        for (int i = 0; i < layers; i++) {
            body.add(transformerEncoder(whole(config, "n_head"))
                    .inner(inner == 0 ? 4 * width : inner)
                    .innerActivation(ForeignLayout.activation(
                            config.path("activation_function").asText("gelu_new")))
                    .epsilon(epsilon)
                    .dropout(rate)
                    .causal()
                    .named("layer" + i));
        }
        body.add(layerNorm().epsilon(epsilon).named("norm"));
        return tiedEmbedding(whole(config, "vocab_size"), width, Sequential.of(body));
    }

    @Override
    public List<Input> inputs() {
        return List.of(Input.ids(Shape.ANY));
    }

    @Override
    public List<TensorRule> rules() {
        List<TensorRule> rules = new ArrayList<>();
        rules.add(TensorRule.same("embedding.weight", prefix + "wte.weight"));
        rules.add(TensorRule.same("body.position.weight", prefix + "wpe.weight"));
        for (int i = 0; i < layers; i++) {
            String here = "body.layer" + i + ".";
            String there = prefix + "h." + i + ".";
            rules.addAll(TensorRule.weightAndBias(here + "norm1", there + "ln_1"));
            rules.add(TensorRule.turned(here + "self_attn.in_proj_weight", there + "attn.c_attn.weight"));
            rules.add(TensorRule.same(here + "self_attn.in_proj_bias", there + "attn.c_attn.bias"));
            rules.addAll(TensorRule.turnedWeightAndBias(here + "self_attn.out_proj", there + "attn.c_proj"));
            rules.addAll(TensorRule.weightAndBias(here + "norm2", there + "ln_2"));
            rules.addAll(TensorRule.turnedWeightAndBias(here + "linear1", there + "mlp.c_fc"));
            rules.addAll(TensorRule.turnedWeightAndBias(here + "linear2", there + "mlp.c_proj"));
        }
        rules.addAll(TensorRule.weightAndBias("body.norm", prefix + "ln_f"));
        return rules;
    }
}
