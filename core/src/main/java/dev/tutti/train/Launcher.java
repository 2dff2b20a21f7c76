package dev.tutti.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.Experimental;
import dev.tutti.comm.Team;
import dev.tutti.json.ShortForm;
import dev.tutti.train.replica.Strategy;
import dev.tutti.train.worker.WorkerThreads;
import java.nio.file.Path;
import java.util.OptionalInt;

/** Where training runs: who supplies the members. What they compute is no matter of its. */
@Experimental
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface Launcher {
    /** This JVM, one member. */
    static Launcher here() {
        return new SingleProcess();
    }

    /** This JVM, with so many workers on threads of it. */
    static Launcher threads(int workers) {
        return new WorkerThreads(workers);
    }

    /** Starts the members where they have to be started; the caller is one of them. The team has not met yet. */
    Team assemble(WorkerTask work);

    /** How members agree unless another strategy is chosen: all-reduce, which gives the result of one member with the whole batch. */
    default Strategy defaultStrategy() {
        return Strategy.named("allReduce");
    }

    /** How many workers there are at the start, over all members, where that is known before they meet. */
    default OptionalInt workers() {
        return OptionalInt.empty();
    }

    /**
     * The same, where people can look at a running job and change its settings through a folder; for places that have a
     * coordinator.
     */
    default Launcher reachableThrough(Path folder) {
        return this;
    }

    /** Whether every member is a program that was started by hand: then several of them may have the same output. */
    default boolean isStartedByHand() {
        return false;
    }

    /**
     * Checks the settings, which may come from a file.
     *
     * @throws dev.tutti.TuttiException if a setting is invalid
     */
    default void validate() {}
}
