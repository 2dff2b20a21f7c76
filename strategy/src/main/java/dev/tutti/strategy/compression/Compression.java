package dev.tutti.strategy.compression;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.json.ShortForm;
import dev.tutti.nn.Model;

/**
 * The definition of how gradients are made small for the way between members; {@link #bind} puts it to work.
 *
 * <p>One of your own implements this; {@code Json.register} gives it its name in files.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
@JsonSubTypes({
    @JsonSubTypes.Type(value = Fp16Compression.class, name = "fp16"),
    @JsonSubTypes.Type(value = Bf16Compression.class, name = "bf16"),
    @JsonSubTypes.Type(value = TopKCompression.class, name = "topK"),
    @JsonSubTypes.Type(value = PowerSgdCompression.class, name = "powerSgd"),
})
public interface Compression {
    /** Makes one member's part for the gradients of a model. */
    GradientSum bind(Model model);

    /**
     * Checks the settings, which may come from a file.
     *
     * @throws dev.tutti.TuttiException if a setting is invalid
     */
    default void validate() {}
}
