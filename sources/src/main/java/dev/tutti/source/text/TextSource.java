package dev.tutti.source.text;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.source.Source;
import dev.tutti.json.Json;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.SharedCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Files of text as ids. By {@code windows} a row is so many ids and, as its label, the ids that follow each of them: what a model
 * of language learns from. By {@code lines} a row is a line, with zeros behind its end as far as the longest line of its batch.
 */
public final class TextSource implements Source {
    /** What a row is. */
    enum By {
        @JsonProperty("windows")
        WINDOWS,
        @JsonProperty("lines")
        LINES
    }

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> files = List.of();

    private Tokenizer tokenizer = new ByteTokenizer();
    private By by = By.WINDOWS;
    private int length = 128;

    private TextSource() {}

    private TextSource(List<String> files, Tokenizer tokenizer, By by, int length) {
        this.files = List.copyOf(files);
        this.tokenizer = tokenizer;
        this.by = by;
        this.length = length;
    }

    /** Windows of so many ids. */
    public static TextSource windows(int length, String... files) {
        return new TextSource(List.of(files), new ByteTokenizer(), By.WINDOWS, length);
    }

    /** Lines, of which at most so many ids count. */
    public static TextSource lines(int longest, String... files) {
        return new TextSource(List.of(files), new ByteTokenizer(), By.LINES, longest);
    }

    /** How text becomes ids; bytes by default. */
    public TextSource tokenizer(Tokenizer choice) {
        return new TextSource(files, choice, by, length);
    }

    private TokenizedText text() {
        if (length < 1) {
            throw new DataException("'length' of a text source: expected 1 or more, received " + length);
        }
        FileSet found = FileSet.of(files, List.of(".txt", ".text", ".md"));
        String state = found.state();
        return SharedCache.get(TokenizedText.class, Json.write(this), state, () -> {
            try (Tokenizer.Opened opened = tokenizer.open()) {
                TokenizedText text = new TokenizedText();
                for (Path file : found.files()) {
                    read(file, opened, text);
                }
                found.requireUnchanged(state);
                return text;
            }
        });
    }

    private void read(Path file, Tokenizer.Opened opened, TokenizedText into) {
        try {
            if (by == By.WINDOWS) {
                into.add(opened.ids(Files.readString(file)));
            } else {
                for (String line : Files.readAllLines(file)) {
                    if (!line.isBlank()) {
                        into.add(opened.ids(line));
                    }
                }
            }
        } catch (IOException e) {
            throw new DataException(file + ": cannot be read as UTF-8: " + e.getMessage(), e);
        }
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(size(text()));
    }

    private long size(TokenizedText text) {
        return by == By.LINES ? text.pieces() : Math.max(0, (text.ids() - 1) / length);
    }

    @Override
    public String fingerprint() {
        return text().fingerprint();
    }

    @Override
    public Rows open() {
        TokenizedText text = text();
        if (size(text) == 0) {
            throw new DataException("the dataset is empty: " + this + " has "
                    + (by == By.LINES ? "no lines" : text.ids() + " ids, fewer than a window of " + length));
        }
        return by == By.LINES ? new LineRows(text, length) : new WindowRows(text, length);
    }

    private record WindowRows(TokenizedText text, int length) implements BatchRows {
        @Override
        public long size() {
            return (text.ids() - 1L) / length;
        }

        @Override
        public Batch rows(long[] numbers) {
            long[] features = new long[numbers.length * length];
            long[] labels = new long[numbers.length * length];
            for (int i = 0; i < numbers.length; i++) {
                long from = numbers[i] * length;
                for (int j = 0; j < length; j++) {
                    features[i * length + j] = text.id(from + j);
                    labels[i * length + j] = text.id(from + j + 1);
                }
            }
            return new Batch(
                    List.of(NdArray.of(features, numbers.length, length)),
                    List.of(NdArray.of(labels, numbers.length, length)),
                    numbers.length);
        }
    }

    private record LineRows(TokenizedText text, int length) implements BatchRows {
        @Override
        public long size() {
            return text.pieces();
        }

        @Override
        public Batch rows(long[] numbers) {
            int longest = 1;
            for (long number : numbers) {
                longest = Math.max(longest, Math.min(length, text.length(number)));
            }
            long[] features = new long[numbers.length * longest];
            for (int i = 0; i < numbers.length; i++) {
                int count = Math.min(length, text.length(numbers[i]));
                for (int j = 0; j < count; j++) {
                    features[i * longest + j] = text.id(text.start(numbers[i]) + j);
                }
            }
            return new Batch(List.of(NdArray.of(features, numbers.length, longest)), List.of(), numbers.length);
        }
    }

    @Override
    public String toString() {
        return "text(" + String.join(", ", files) + ")" + (by == By.LINES ? ".lines" : "").toLowerCase(Locale.ROOT);
    }
}
