package dev.tutti.cluster.coordinator;

import dev.tutti.DidYouMean;
import dev.tutti.json.ConfigException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * How long is waited for what, in milliseconds. The coordinator gives it to every member that joins, so it is said once per job.
 *
 * @param heartbeat how often a member says that it is there. Two a second cost nothing and leave room for three lost ones before
 *     a member is suspected
 * @param unresponsive silence after which a member is suspected: four heartbeats, longer than a full garbage collection of a
 *     large heap usually takes
 * @param gone silence after which a member is given up: five times the above, so that a machine that swaps is not punished
 * @param reconnect how long a member whose connection broke may take to come back before it is gone. A broken connection is no
 *     silence: on one machine it means that the process has died
 * @param accused how long a member that others waited for in vain may take to come to their meeting
 * @param meeting how long those who are there wait for members that are alive but do not come. Longer than any step: {@link
 *     MembershipRules} make it at least as long as {@code collective}
 * @param start how long the first meeting waits for all that are expected: JVMs of a loaded machine start slowly
 * @param tooFew how long those that are left wait for others when they are fewer than the least number
 * @param collective how long a member waits within one collective call; longer than any step, since it waits for the slowest
 * @param coordinator how long members do without the coordinator before they give up
 */
public record Timeouts(
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
    /** Before any value is made: its errors name them. */
    private static final List<String> NAMES = Arrays.stream(Timeouts.class.getRecordComponents())
            .map(RecordComponent::getName)
            .toList();

    /** Right for one machine or a rack of them. */
    public static final Timeouts DEFAULT =
            new Timeouts(500, 2_000, 10_000, 500, 1_000, 30_000, 60_000, 30_000, 30_000, 60_000);

    public Timeouts {
        long[] all = {heartbeat, unresponsive, gone, reconnect, accused, meeting, start, tooFew, collective, coordinator
        };
        for (int i = 0; i < all.length; i++) {
            require(all[i] >= 1, NAMES.get(i) + ": expected at least 1 ms, received " + all[i]);
        }
        require(
                unresponsive > heartbeat && gone > unresponsive,
                "expected heartbeat < unresponsive < gone, received " + heartbeat + " ms, " + unresponsive + " ms, "
                        + gone + " ms");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new ConfigException("patience: " + message);
        }
    }

    /**
     * The same with some of the times changed.
     *
     * @param millis by the names of the components
     */
    public Timeouts with(Map<String, Long> millis) {
        millis.forEach((name, value) -> {
            require(NAMES.contains(name), "unknown time '" + name + "'" + DidYouMean.hint(name, NAMES));
            require(value != null, name + ": expected milliseconds, received nothing");
        });
        return new Timeouts(
                millis.getOrDefault("heartbeat", heartbeat),
                millis.getOrDefault("unresponsive", unresponsive),
                millis.getOrDefault("gone", gone),
                millis.getOrDefault("reconnect", reconnect),
                millis.getOrDefault("accused", accused),
                millis.getOrDefault("meeting", meeting),
                millis.getOrDefault("start", start),
                millis.getOrDefault("tooFew", tooFew),
                millis.getOrDefault("collective", collective),
                millis.getOrDefault("coordinator", coordinator));
    }

    private Timeouts with(String name, Duration time) {
        return with(Map.of(name, time.toMillis()));
    }

    /** The three times of the failure detector. */
    public Timeouts heartbeats(Duration every, Duration unresponsiveAfter, Duration goneAfter) {
        return with(Map.of(
                "heartbeat",
                every.toMillis(),
                "unresponsive",
                unresponsiveAfter.toMillis(),
                "gone",
                goneAfter.toMillis()));
    }

    public Timeouts reconnect(Duration wait) {
        return with("reconnect", wait);
    }

    /** For members that others accuse, and for members that are alive but do not come to a meeting. */
    public Timeouts meeting(Duration accusedWait, Duration meetingWait) {
        return with("accused", accusedWait).with("meeting", meetingWait);
    }

    public Timeouts start(Duration wait) {
        return with("start", wait);
    }

    public Timeouts tooFew(Duration wait) {
        return with("tooFew", wait);
    }

    public Timeouts collective(Duration deadline) {
        return with("collective", deadline);
    }

    public Timeouts coordinator(Duration wait) {
        return with("coordinator", wait);
    }

    /**
     * Who may take so long for a step that others wait for it within a call, may take as long to come when they meet: it would
     * else be given up in the middle of a step.
     */
    Timeouts meetingAsLongAsAStep() {
        return with("meeting", Duration.ofMillis(Math.max(meeting, collective)));
    }

    /** For a member in the coordinator's own process: it cannot lose it, only be slow together with it. */
    public Timeouts besideCoordinator() {
        return coordinator(Duration.ofMillis(Math.max(coordinator, DEFAULT.coordinator)));
    }

    /** For a coordinator that lives in the driver: it could not be started again, so its silence means what a member's means. */
    public Timeouts coordinatorInDriver() {
        return coordinator(Duration.ofMillis(gone));
    }
}
