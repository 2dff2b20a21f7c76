package dev.tutti.transfer.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.ConfigException;
import dev.tutti.nn.Activation;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import java.util.List;
import java.util.Set;

/** A family of models elsewhere: what it computes in layers of ours, and where each of its tensors goes. */
interface ForeignLayout {
    /** What it computes. */
    Layer definition();

    List<Input> inputs();

    /** Where each parameter and buffer of the definition is stored. */
    List<TensorRule> rules();

    /**
     * The layout of a folder by its {@code config.json}.
     *
     * @param names of the tensors that are there
     * @throws ConfigException if the kind of model is not known
     */
    static ForeignLayout of(JsonNode config, Set<String> names, SentencePooling pooling) {
        String type = config.path("model_type").asText();
        return switch (type) {
            case "bert" -> BertLayout.bert(config, names, pooling);
            case "distilbert" -> BertLayout.distilBert(config, names, pooling);
            case "gpt2" -> new Gpt2Layout(config, names);
            case "llama", "mistral" -> new LlamaLayout(config, names);
            default ->
                throw new ConfigException(
                        "config.json: model_type: expected bert, distilbert, gpt2, llama or mistral, received '" + type
                                + "'");
        };
    }

    /** A whole number of a configuration. */
    static int whole(JsonNode config, String key) {
        if (!config.path(key).isIntegralNumber()) {
            throw new ConfigException(
                    "config.json: " + key + ": expected a whole number, received " + config.path(key));
        }
        return config.get(key).intValue();
    }

    static Activation activation(String name) {
        return switch (name) {
            case "gelu" -> Activation.GELU;
            case "gelu_new", "gelu_pytorch_tanh", "gelu_fast" -> Activation.GELU_TANH;
            case "relu" -> Activation.RELU;
            case "silu", "swish" -> Activation.SILU;
            default ->
                throw new ConfigException(
                        "config.json: expected an activation such as gelu, gelu_new or relu, received '" + name + "'");
        };
    }
}
