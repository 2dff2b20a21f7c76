package dev.tutti.source.text;

import dev.tutti.data.DataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Words in small letters by a file with one word on each line: the first has id 2, and 1 is for unknown words. */
public final class VocabularyTokenizer implements Tokenizer {
    private String file;

    private VocabularyTokenizer() {}

    private VocabularyTokenizer(String file) {
        this.file = file;
    }

    public static VocabularyTokenizer of(String file) {
        return new VocabularyTokenizer(file);
    }

    @Override
    public Opened open() {
        Map<String, Integer> ids = new HashMap<>();
        try {
            for (String word : Files.readAllLines(Path.of(file))) {
                ids.putIfAbsent(word, ids.size() + 2);
            }
        } catch (IOException e) {
            throw new DataException(file + ": the vocabulary cannot be read: " + e.getMessage(), e);
        }
        return text -> {
            List<String> words = WordSplitter.words(text);
            return words.stream().mapToInt(word -> ids.getOrDefault(word, 1)).toArray();
        };
    }

    @Override
    public String toString() {
        return "vocabulary(" + file + ")";
    }
}
