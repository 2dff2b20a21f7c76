package dev.tutti.source.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.source.Source;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text as ids: bytes, a vocabulary, a tokenizer.json; windows, and lines padded by batch. */
class TextSourceTest {
    @TempDir
    Path folder;

    private String text;

    @BeforeEach
    void write() throws IOException {
        text = Files.writeString(folder.resolve("a.txt"), "to be\n\nor not to be é\n")
                .toString();
    }

    private static Batch first(Source source) {
        try (BatchReader reader = Dataset.of(source).batch(2).open(0)) {
            return reader.next().orElseThrow();
        }
    }

    @Test
    void windowsAreFollowedByTheirLabels() {
        Batch batch = first(TextSource.windows(4, text));
        assertThat(batch.feature().longs())
                .containsExactly('t' + 1, 'o' + 1, ' ' + 1, 'b' + 1, 'e' + 1, 11, 11, 'o' + 1);
        assertThat(batch.label().longs()).containsExactly('o' + 1, ' ' + 1, 'b' + 1, 'e' + 1, 11, 11, 'o' + 1, 'r' + 1);
        assertThatThrownBy(() -> first(TextSource.windows(400, text)))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("fewer than a window of 400");
    }

    @Test
    void linesArePaddedAsFarAsTheLongestOfTheirBatch() throws IOException {
        Files.writeString(folder.resolve("words.txt"), "to\nbe\nnot\n");
        VocabularyTokenizer words =
                VocabularyTokenizer.of(folder.resolve("words.txt").toString());
        Batch batch = first(TextSource.lines(100, text).tokenizer(words));
        assertThat(batch.feature().shape().toArray()).containsExactly(2, 5);
        assertThat(batch.feature().longs()).containsExactly(2, 3, 0, 0, 0, 1, 4, 2, 3, 1);
        assertThat(first(TextSource.lines(3, text).tokenizer(words))
                        .feature()
                        .shape()
                        .toArray())
                .containsExactly(2, 3);
    }

    @Test
    void aTokenizerOfHuggingFaceIsReadFromItsFile() throws IOException {
        Path file = Files.writeString(folder.resolve("tokenizer.json"), """
                {"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": {"type": "Lowercase"},
                 "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
                 "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "to": 1, "be": 2, "or": 3, "not": 4}, "unk_token": "[UNK]"}}
                """);
        TextSource source = TextSource.lines(100, text).tokenizer(HuggingFaceFile.of(file.toString()));
        Source shipped = Json.read(Json.write(source), Source.class, "source");
        assertThat(first(shipped).feature().longs()).containsExactly(2, 3, 0, 0, 0, 4, 5, 2, 3, 1);
        Files.writeString(file, "{}");
        assertThatThrownBy(() -> HuggingFaceFile.of(file.toString()).open())
                .isInstanceOf(DataException.class)
                .hasMessageContaining("tokenizer.json");
    }
}
