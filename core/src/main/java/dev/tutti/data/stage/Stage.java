package dev.tutti.data.stage;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.json.ShortForm;
import java.util.OptionalLong;

/**
 * One step of a recipe. It works on a {@link RowView} for as long as rows can be reached by their place, otherwise on a
 * {@link RowFlow}; both give the same rows.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public abstract class Stage {
    /** What lies below a stage, to be opened for an epoch. */
    interface Upstream {
        /** The stage's place in the recipe, from 1, for messages. */
        int stageNumber();

        /** Null when rows cannot be reached by their place. */
        RowView view(long epoch);

        RowFlow flow(long epoch, StageCounters saved);
    }

    /**
     * The rows of an epoch by place, or null when this stage, or what is below it, can only be read from front to
     * back.
     */
    abstract RowView view(Upstream upstream, long epoch);

    /** The rows of an epoch in order; called only if there is no view. */
    abstract RowFlow flow(Upstream upstream, long epoch, StageCounters saved);

    /** The number of rows behind this stage, given the number before it. */
    public abstract OptionalLong size(OptionalLong before);

    /** True when other epochs have other rows, other contents or another order because of this stage. */
    public boolean variesByEpoch() {
        return false;
    }

    /** True when each row is treated on its own, independent of the rows before and after it. */
    public boolean rowWise() {
        return false;
    }

    /** True when treating parts of a flow one by one gives the same rows as treating all of it. */
    boolean worksOnParts() {
        return rowWise();
    }

    /**
     * Checks the settings, which may come from a file.
     *
     * @throws dev.tutti.TuttiException if a setting is invalid
     */
    public void check() {}
}
