package dev.tutti.source.text;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import dev.tutti.data.DataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A {@code tokenizer.json} of Hugging Face, read from a file; nothing is fetched. Ids are those of the file plus 1. */
public final class HuggingFaceFile implements Tokenizer {
    private String file;

    private HuggingFaceFile() {}

    private HuggingFaceFile(String file) {
        this.file = file;
    }

    public static HuggingFaceFile of(String file) {
        return new HuggingFaceFile(file);
    }

    @Override
    public Opened open() {
        Path path = Path.of(file);
        if (!Files.isRegularFile(path)) {
            throw new DataException(file + ": there is no such file: expected a tokenizer.json of Hugging Face");
        }
        HuggingFaceTokenizer tokenizer;
        try {
            tokenizer = HuggingFaceTokenizer.builder()
                    .optTokenizerPath(path)
                    .optAddSpecialTokens(false)
                    .optTruncation(false)
                    .build();
        } catch (IOException | RuntimeException e) {
            throw new DataException(file + ": is no tokenizer.json that can be used: " + e.getMessage(), e);
        }
        return new Opened() {
            @Override
            public int[] ids(String text) {
                long[] found = tokenizer.encode(text).getIds();
                int[] ids = new int[found.length];
                for (int i = 0; i < ids.length; i++) {
                    ids[i] = Math.toIntExact(found[i] + 1);
                }
                return ids;
            }

            @Override
            public void close() {
                tokenizer.close();
            }
        };
    }

    @Override
    public String toString() {
        return "huggingFace(" + file + ")";
    }
}
