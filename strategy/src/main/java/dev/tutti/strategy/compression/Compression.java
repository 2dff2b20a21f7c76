package dev.tutti.strategy.compression;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.Experimental;
import dev.tutti.TuttiException;
import dev.tutti.json.ShortForm;
import dev.tutti.nn.Model;

/**
 * The definition of how gradients are made small for the way between members; {@link #bind} puts it to work.
 *
 * <p>One of your own implements this; {@code Json.register} gives it its name in files.
 */
@Experimental
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface Compression {
    /** Makes one member's part for the gradients of a model. */
    GradientSum bind(Model model);

    /**
     * The encoder for the way to one receiver, such as a parameter server.
     *
     * @throws dev.tutti.TuttiException if this compression is one of sums over members alone
     */
    default GradientEncoder encoder() {
        throw new TuttiException(this
                + " makes sums over all members small, not what one member sends: expected fp16(), bf16() or topK()");
    }

    /**
     * Checks the settings, which may come from a file.
     *
     * @throws dev.tutti.TuttiException if a setting is invalid
     */
    default void validate() {}
}
