package dev.tutti.strategy.averaging;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.Experimental;
import dev.tutti.json.ShortForm;
import java.util.List;

/**
 * How much each member's model counts when models are averaged: a definition.
 *
 * <p>Weights of your own implement this; {@code Json.register} gives them their name in files.
 */
@Experimental
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface Weights {
    /** The plain mean of all members that had data. */
    static Weights plain() {
        return new EqualWeights();
    }

    /** Each member counts by the samples it learned from. */
    static Weights bySamples() {
        return new SampleWeights();
    }

    /** Weights from what each member sees: samples, loss, distance between models, likeness of its data. */
    static LocallyWeighted locallyWeighted() {
        return new LocallyWeighted();
    }

    /**
     * How much each member counts, in their order: nothing negative, not all 0; they are divided by their sum. A member without
     * samples has weight zero in any case.
     */
    double[] of(List<Contribution> members);

    /** What members have to find out about each other first. */
    default Needs needs() {
        return Needs.NOTHING;
    }

    /**
     * Checks the settings, which may come from a file.
     *
     * @throws dev.tutti.TuttiException if a setting is invalid
     */
    default void validate() {}

    /**
     * What weights are made from beside samples and loss.
     *
     * @param validation the part of a round, at its end, on which the loss is measured before it is learned from
     * @param distance the distance to the mean of the models: the vector travels once more
     * @param labels how labels are distributed
     * @param features how features are distributed
     */
    record Needs(double validation, boolean distance, boolean labels, boolean features) {
        static final Needs NOTHING = new Needs(1, false, false, false);
    }
}
