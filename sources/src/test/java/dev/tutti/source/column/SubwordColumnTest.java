package dev.tutti.source.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.source.text.PretrainedTokenizer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts as the ids of a trained model. */
class SubwordColumnTest {
    @TempDir
    private Path folder;

    @Test
    void marksAreKeptAndLongTextsCut() throws Exception {
        Path file = Files.writeString(folder.resolve("tokenizer.json"), """
                {"version": "1.0", "truncation": null, "padding": null,
                 "added_tokens": [
                   {"id": 1, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
                   {"id": 2, "content": "[SEP]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
                 "normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
                 "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}, "decoder": null,
                 "model": {"type": "WordLevel", "unk_token": "[UNK]",
                   "vocab": {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "good": 4, "film": 5}}}
                """);
        PretrainedTokenizer tokenizer = PretrainedTokenizer.at(file.toString());

        assertThat(tokenizer.ids("good film", 10)).containsExactly(1, 4, 5, 2);
        assertThat(tokenizer.ids("good good good film", 4)).containsExactly(1, 4, 4, 2);
        assertThat(tokenizer.size()).isEqualTo(6);
        SubwordColumn column = SubwordColumn.of("text", file.toString()).length(8);
        column.check();
        assertThat(column.width()).isEqualTo(8);
        assertThat(column.ids()).isEqualTo(6);
    }

    @Test
    void whatIsMissingIsSaid() {
        assertThatThrownBy(() -> SubwordColumn.of(
                                "text", folder.resolve("none.json").toString())
                        .ids())
                .hasMessageContaining("there is no such file");
        assertThatThrownBy(() -> SubwordColumn.of("text", "x").length(1).check())
                .hasMessageContaining("'length'");
    }
}
