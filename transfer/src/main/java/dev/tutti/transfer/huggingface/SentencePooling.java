package dev.tutti.transfer.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a sentence encoder does with the vectors of its tokens, as the {@code modules.json} of Sentence Transformers says.
 *
 * @param kind the vector that stands for the sentence
 * @param unit whether it is scaled to length 1
 */
record SentencePooling(Kind kind, boolean unit) {
    enum Kind {
        /** All tokens' vectors are the output. */
        NONE,
        MEAN,
        FIRST
    }

    static SentencePooling in(Path folder) {
        Path modules = folder.resolve("modules.json");
        if (!Files.isRegularFile(modules)) {
            return new SentencePooling(Kind.NONE, false);
        }
        Kind kind = Kind.NONE;
        boolean unit = false;
        for (JsonNode module : Json.read(modules, JsonNode.class)) {
            String type = module.path("type").asText();
            if (type.endsWith(".Pooling")) {
                JsonNode settings =
                        Json.read(folder.resolve(module.path("path").asText()).resolve("config.json"), JsonNode.class);
                if (settings.path("pooling_mode_mean_tokens").asBoolean()) {
                    kind = Kind.MEAN;
                } else if (settings.path("pooling_mode_cls_token").asBoolean()) {
                    kind = Kind.FIRST;
                } else {
                    throw new ConfigException(
                            modules + ": expected pooling by mean or by the first token, received " + settings);
                }
            }
            unit = unit || type.endsWith(".Normalize");
        }
        return new SentencePooling(kind, unit);
    }
}
