package dev.tutti.source.text;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.data.DataException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The tokenizer of a trained model, with the ids and marks of that model. One for each file in a JVM; may be used by several threads. */
public final class PretrainedTokenizer {
    private static final Map<String, PretrainedTokenizer> OPENED = new ConcurrentHashMap<>();

    private final HuggingFaceTokenizer tokenizer;
    private final int size;

    private PretrainedTokenizer(HuggingFaceTokenizer tokenizer, int size) {
        this.tokenizer = tokenizer;
        this.size = size;
    }

    /**
     * The tokenizer of a file; nothing is fetched.
     *
     * @throws DataException if there is no such file, or it is no tokenizer
     */
    public static PretrainedTokenizer at(String file) {
        return OPENED.computeIfAbsent(file, PretrainedTokenizer::open);
    }

    private static PretrainedTokenizer open(String file) {
        Path path = Path.of(file);
        if (!Files.isRegularFile(path)) {
            throw new DataException(file + ": there is no such file: expected the tokenizer.json of a trained model");
        }
        try {
            JsonNode vocabulary = Json.read(path, JsonNode.class).at("/model/vocab");
            return new PretrainedTokenizer(
                    HuggingFaceTokenizer.builder()
                            .optTokenizerPath(path)
                            .optAddSpecialTokens(true)
                            .optTruncation(false)
                            .optPadding(false)
                            .build(),
                    vocabulary.size());
        } catch (IOException | RuntimeException e) {
            throw new DataException(file + ": is no tokenizer.json that can be used: " + e.getMessage(), e);
        }
    }

    /** How many ids there are. */
    public int size() {
        return size;
    }

    /** The ids of a text, at most so many; of a longer text the first ones and the mark at its end. */
    public long[] ids(String text, int most) {
        long[] ids = tokenizer.encode(text).getIds();
        if (ids.length <= most) {
            return ids;
        }
        long[] cut = Arrays.copyOf(ids, most);
        cut[most - 1] = ids[ids.length - 1];
        return cut;
    }
}
