package dev.tutti.strategy.averaging;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.Experimental;
import dev.tutti.json.ShortForm;
import dev.tutti.tensor.Tensor;
import java.util.Map;

/**
 * An optimizer of rounds: it takes the way from the parameters of the last agreement, the anchor, to the average of the models for
 * a gradient, and decides how far to go. A definition; its state belongs to {@link Move}.
 */
@Experimental
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface OuterOptimizer {
    /** Momentum with Nesterov's look ahead, as in DiLoCo, whose settings are 0.7 and 0.9. */
    static OuterOptimizer nesterov(double rate, double momentum) {
        return new NesterovOuter(rate, momentum);
    }

    /** Puts it to work on vectors like this one. */
    Move bind(Tensor values);

    /**
     * Checks the settings, which may come from a file.
     *
     * @throws dev.tutti.TuttiException if a setting is invalid
     */
    default void validate() {}

    /** An outer optimizer at work. */
    interface Move extends AutoCloseable {
        /** Moves on from the anchor: {@code values} hold the average of the models and then the parameters to go on with. */
        void apply(Tensor anchor, Tensor values);

        /** The state by name; writing to it restores. */
        Map<String, Tensor> state();

        @Override
        void close();
    }
}
