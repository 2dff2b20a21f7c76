package dev.tutti.cluster.coordinator;

import java.time.Duration;

/**
 * How long is waited for what, in milliseconds. The coordinator gives it to every member that joins, so it is said once per job.
 *
 * @param heartbeat how often a member says that it is there. Two a second cost nothing and leave room for three lost ones before
 *     anybody minds
 * @param unresponsive silence after which a member is suspected: four heartbeats, longer than a full garbage collection of a
 *     large heap usually takes
 * @param gone silence after which a member is given up: five times the above, so that a machine that swaps is not punished
 * @param reconnect how long a member whose connection broke may take to come back before it is gone. A broken connection is no
 *     silence: on one machine it means that the process has died
 * @param accused how long a member that others waited for in vain may take to come to their meeting
 * @param meeting how long those who are there wait for members that are alive but do not come. Longer than any step
 * @param start how long the first meeting waits for all that are expected: JVMs of a loaded machine start slowly
 * @param tooFew how long those that are left wait for others when they are fewer than the least number
 * @param collective how long a member waits within one collective call; longer than any step, since it waits for the slowest
 * @param coordinator how long members do without the coordinator before they give up
 */
public record Patience(
        long heartbeat,
        long unresponsive,
        long gone,
        long reconnect,
        long accused,
        long meeting,
        long start,
        long tooFew,
        long collective,
        long coordinator) {
    /** Right for one machine or a rack of them. */
    public static final Patience DEFAULT =
            new Patience(500, 2_000, 10_000, 500, 1_000, 30_000, 60_000, 30_000, 30_000, 60_000);

    public Patience {
        long[] all = {heartbeat, unresponsive, gone, reconnect, accused, meeting, start, tooFew, collective, coordinator
        };
        for (long one : all) {
            if (one < 1) {
                throw new IllegalArgumentException("expected times of at least 1 ms, received " + one);
            }
        }
        if (unresponsive <= heartbeat || gone <= unresponsive) {
            throw new IllegalArgumentException("expected heartbeat < unresponsive < gone, received " + heartbeat
                    + " ms, " + unresponsive + " ms, " + gone + " ms");
        }
    }

    /** The three times of the failure detector. */
    public Patience heartbeats(Duration every, Duration unresponsiveAfter, Duration goneAfter) {
        return new Patience(
                every.toMillis(),
                unresponsiveAfter.toMillis(),
                goneAfter.toMillis(),
                reconnect,
                accused,
                meeting,
                start,
                tooFew,
                collective,
                coordinator);
    }

    public Patience reconnect(Duration wait) {
        return new Patience(
                heartbeat,
                unresponsive,
                gone,
                wait.toMillis(),
                accused,
                meeting,
                start,
                tooFew,
                collective,
                coordinator);
    }

    /** For members that others accuse, and for members that are alive but do not come to a meeting. */
    public Patience meeting(Duration accusedWait, Duration meetingWait) {
        return new Patience(
                heartbeat,
                unresponsive,
                gone,
                reconnect,
                accusedWait.toMillis(),
                meetingWait.toMillis(),
                start,
                tooFew,
                collective,
                coordinator);
    }

    public Patience start(Duration wait) {
        return new Patience(
                heartbeat,
                unresponsive,
                gone,
                reconnect,
                accused,
                meeting,
                wait.toMillis(),
                tooFew,
                collective,
                coordinator);
    }

    public Patience tooFew(Duration wait) {
        return new Patience(
                heartbeat,
                unresponsive,
                gone,
                reconnect,
                accused,
                meeting,
                start,
                wait.toMillis(),
                collective,
                coordinator);
    }

    public Patience collective(Duration deadline) {
        return new Patience(
                heartbeat,
                unresponsive,
                gone,
                reconnect,
                accused,
                meeting,
                start,
                tooFew,
                deadline.toMillis(),
                coordinator);
    }

    public Patience coordinator(Duration wait) {
        return new Patience(
                heartbeat, unresponsive, gone, reconnect, accused, meeting, start, tooFew, collective, wait.toMillis());
    }

    /** For a member in the coordinator's own process: it cannot lose it, only be slow together with it. */
    public Patience besideCoordinator() {
        return coordinator(Duration.ofMillis(Math.max(coordinator, DEFAULT.coordinator)));
    }

    /** For a coordinator that lives in the driver: nobody could start it again, so its silence means what a member's means. */
    public Patience coordinatorInDriver() {
        return coordinator(Duration.ofMillis(gone));
    }
}
