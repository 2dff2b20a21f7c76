package dev.tutti.train.callback;

import dev.tutti.train.EpochResult;
import dev.tutti.train.profile.TimelineObserver;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Watches a run, and may end it.
 *
 * <p>Order of calls: {@link #begin} once, then {@link #step} after each update and {@link #epoch} after each epoch, at last
 * {@link #end} once, also when training failed. What the callback must remember over an interruption it gives in {@link #state}
 * and gets back in {@link #restore}, before {@link #begin}.
 */
public interface Callback {
    default void begin(Run run) {}

    /**
     * Asked before each update: whether {@link #step} will call {@link Run#saveCheckpoint} right after it. Where members hold
     * parts of the state all of them save theirs then; a callback that saves without having said so is refused.
     */
    default boolean needsState(Run run) {
        return false;
    }

    default void step(Run run) {}

    default void epoch(Run run, EpochResult result) {}

    /** Training is over; the failure is empty when it came to an end in good order. */
    default void end(Run run, Optional<Throwable> failure) {}

    /** Whether it shows people how training goes; then nothing else does so by default. */
    default boolean showsProgress() {
        return false;
    }

    /** The folder that it saves checkpoints in: after a loss the members may go back to the newest one there. */
    default Optional<Path> checkpointFolder() {
        return Optional.empty();
    }

    /** Follows what every member was busy with, and when; asked once, before {@link #begin}. */
    default Optional<TimelineObserver> timelineObserver() {
        return Optional.empty();
    }

    /** The name its state has in a checkpoint; two callbacks of one kind need different names. */
    default String name() {
        return getClass().getSimpleName();
    }

    default Map<String, Double> state() {
        return Map.of();
    }

    default void restore(Map<String, Double> state) {}
}
