package dev.tutti.source.text;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.json.ShortForm;

/** How text becomes ids: a definition; {@link #open} gives what does the work. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
@JsonSubTypes({
    @JsonSubTypes.Type(value = ByteTokenizer.class, name = "bytes"),
    @JsonSubTypes.Type(value = VocabularyTokenizer.class, name = "vocabulary"),
    @JsonSubTypes.Type(value = HuggingFaceFile.class, name = "huggingFace")
})
public interface Tokenizer {
    /** Opens it; closed by the caller. */
    Opened open();

    /** A tokenizer at work, used by one thread. */
    interface Opened extends AutoCloseable {
        /** The ids of a text, all of them above 0: 0 is for padding. */
        int[] ids(String text);

        @Override
        default void close() {}
    }
}
