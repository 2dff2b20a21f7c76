package dev.tutti.train.profile;

import dev.tutti.train.profile.Timing.Phase;

/**
 * Where the time of one member went, in seconds.
 *
 * @param member its name
 * @param steps updates it took part in
 * @param samples samples it computed with
 * @param compute forward, backward, and sums within the JVM
 * @param waiting for members that were not there yet
 * @param wire giving and taking gradients or parameters
 * @param feeding waiting for data
 * @param update moving the parameters
 * @param elapsed all of it, and what is no part of a step: validation, checkpoints, callbacks, meetings
 * @param sent bytes that went out to other members
 * @param received bytes that came in
 */
public record MemberTime(
        String member,
        long steps,
        long samples,
        double compute,
        double waiting,
        double wire,
        double feeding,
        double update,
        double elapsed,
        long sent,
        long received) {
    /** Seconds in steps. */
    public double inSteps() {
        return compute + waiting + wire + feeding + update;
    }

    /** Seconds beside the steps. */
    public double other() {
        return Math.max(0, elapsed - inSteps());
    }

    /** The part of its steps that a phase takes, from 0 to 1. */
    double part(Phase phase) {
        double seconds = switch (phase) {
            case COMPUTE -> compute;
            case WAIT -> waiting;
            case WIRE -> wire;
            case FEED -> feeding;
            case UPDATE -> update;
        };
        return inSteps() == 0 ? 0 : seconds / inSteps();
    }

    /** Seconds that this member itself is busy for one sample. */
    double pace() {
        return samples == 0 ? 0 : (compute + feeding) / samples;
    }
}
