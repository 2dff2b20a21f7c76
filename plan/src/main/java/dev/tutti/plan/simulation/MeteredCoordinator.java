package dev.tutti.plan.simulation;

import dev.tutti.cluster.coordinator.Coordinator;
import dev.tutti.cluster.coordinator.Event;
import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.coordinator.MembershipNotice;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The coordinator's state machine, with counts of its messages and the time it computes. */
final class MeteredCoordinator {
    private static final double NOTICE_BYTES = 180;
    private static final double MEMBER_BYTES = 55;
    private static final double ANSWER_BYTES = 60;

    private final Coordinator coordinator;
    private final Map<String, Long> messages = new TreeMap<>();
    private long nanos;
    private double bytesOut;

    MeteredCoordinator(MembershipRules rules) {
        coordinator = new Coordinator(rules);
    }

    /** Lets something happen; empty where it is refused. */
    List<Fact> apply(Event event, double now) {
        messages.merge(event.getClass().getSimpleName(), 1L, Long::sum);
        bytesOut += event instanceof Event.Tick ? 0 : ANSWER_BYTES;
        long began = System.nanoTime();
        try {
            return coordinator.apply(event, Math.round(now * 1000));
        } catch (RefusedException e) {
            messages.merge("Refused", 1L, Long::sum);
            return List.of();
        } finally {
            nanos += System.nanoTime() - began;
        }
    }

    /** What a member is told by the stream that it listens to. */
    MembershipNotice notice(String member) {
        messages.merge("Notice", 1L, Long::sum);
        bytesOut += NOTICE_BYTES;
        long began = System.nanoTime();
        try {
            return coordinator.notice(member);
        } finally {
            nanos += System.nanoTime() - began;
        }
    }

    /** The bytes of a group that all its members are told, where each is told all members. */
    void tellGroup(int receivers, int named) {
        messages.merge("Group", (long) receivers, Long::sum);
        bytesOut += receivers * (ANSWER_BYTES + named * MEMBER_BYTES);
    }

    Map<String, Long> messages() {
        return messages;
    }

    double bytesOut() {
        return bytesOut;
    }

    double seconds() {
        return nanos / 1e9;
    }
}
