package dev.tutti.train.replica;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.Experimental;
import dev.tutti.comm.Team;
import dev.tutti.json.Json;
import dev.tutti.json.ShortForm;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import java.util.Map;

/**
 * How members agree: a definition, which changes nothing in model, data, callbacks or checkpoints.
 *
 * <p>A strategy of your own implements this; {@code Json.register} gives it its name in files.
 */
@Experimental
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface Strategy {
    /** One member on its own. */
    static Strategy local() {
        return new LocalStrategy();
    }

    /**
     * The strategy with this name in files, with its defaults.
     *
     * @throws dev.tutti.json.ConfigException if there is none, for instance because its module is not on the class path
     */
    static Strategy named(String name) {
        return Json.read('"' + name + '"', Strategy.class, "strategy");
    }

    /**
     * Makes one member's part of a run, with a model that is built.
     *
     * @param model the whole one, which remains the caller's
     */
    Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing);

    /**
     * Whether a member builds what it holds of the model when the members have met, because that depends on who they are. If so {@link
     * #replica(ModelPlan, TrainingConfig, Team, Timing)} is called, behind the first meeting, and only then.
     */
    default boolean buildsParts() {
        return false;
    }

    /**
     * Makes one member's part of a run whose members have met, and builds what it holds of the model: all of it unless a strategy says
     * otherwise. Its state may come from a checkpoint or from other members afterwards.
     *
     * @param plan that of the whole model
     * @return its {@link Replica#model} is the caller's to close
     */
    default Replica replica(ModelPlan plan, TrainingConfig recipe, Team team, Timing timing) {
        return replica(plan.build(), recipe, team, timing);
    }

    /**
     * The same after another replica of this run has ended in {@link PartsChangedException}. Its state is lost: the first {@link
     * Replica#regrouped} throws {@link StateLostException} on all members, those included that are new to the run.
     */
    default Replica replicaAgain(ModelPlan plan, TrainingConfig recipe, Team team, Timing timing) {
        return replica(plan, recipe, team, timing);
    }

    /** Whether the result is that of one member with the whole batch, but for the order in which floats are added. */
    default boolean exact() {
        return true;
    }

    /**
     * Checks the settings, which may come from a file.
     *
     * @throws dev.tutti.TuttiException if a setting is invalid
     */
    default void validate() {}

    /**
     * Members of other roles than the workers' that this strategy needs, by role. A launcher that starts members takes them from those
     * that it was told to start, unless it was told of members of that role.
     */
    default Map<String, Integer> roles() {
        return Map.of();
    }

    /** Whether models may have tables of rows, which are not in the vector. */
    default boolean trainsTables() {
        return false;
    }

    /** Whether it scales losses and skips steps whose gradients overflow, as training in fp16 needs. */
    default boolean scalesLosses() {
        return false;
    }

    /** Throws if this strategy is not for so many workers, before any of them is started. */
    default void validateFor(int workers) {}
}
