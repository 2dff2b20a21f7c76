package dev.tutti.cluster.supervision;

import dev.tutti.cluster.coordinator.Timeouts;
import java.util.HashMap;
import java.util.Map;

/**
 * Judges members by how long they have been silent, and by whether their connection broke.
 *
 * <p>Time in which the detector itself did not run (its process was stopped, its disk hung) is not held against members: {@link
 * #awake} has to be called regularly.
 */
public final class SilenceDetector implements FailureDetector {
    private final Timeouts patience;
    private final Map<String, Long> heard = new HashMap<>();
    private final Map<String, Long> broken = new HashMap<>();
    private long awakeAt = Long.MIN_VALUE;

    SilenceDetector(Timeouts patience) {
        this.patience = patience;
    }

    @Override
    public State stateOf(String member, long now) {
        Long last = heard.get(member);
        if (last == null) {
            return State.UNKNOWN;
        }
        Long since = broken.get(member);
        if (now - last >= patience.gone() || since != null && now - since >= patience.reconnect()) {
            return State.GONE;
        }
        return since != null || now - last >= patience.unresponsive() ? State.UNRESPONSIVE : State.ALIVE;
    }

    @Override
    public void heard(String member, long at) {
        heard.merge(member, at, Math::max);
    }

    @Override
    public void forget(String member) {
        heard.remove(member);
        broken.remove(member);
    }

    long silence(String member, long now) {
        return now - heard.getOrDefault(member, now);
    }

    /** Its connection broke; only a new connection makes up for it, since a heartbeat may have been under way before. */
    public void disconnected(String member, long at) {
        broken.putIfAbsent(member, at);
    }

    public void connected(String member, long at) {
        broken.remove(member);
        heard(member, at);
    }

    boolean isBroken(String member) {
        return broken.containsKey(member);
    }

    /**
     * Says that the detector runs. If it did not for a while, every member gets that time back, but for the part that may pass at
     * any time: otherwise a machine that is always late would never give a member up.
     *
     * @return the time that was given back
     */
    public long awake(long now) {
        long pause = awakeAt == Long.MIN_VALUE ? 0 : now - awakeAt;
        long slept = Math.max(0, pause - Math.min(patience.unresponsive() / 2, patience.reconnect()));
        awakeAt = now;
        if (slept > 0) {
            heard.replaceAll((member, at) -> Math.min(now, at + slept));
            broken.replaceAll((member, at) -> Math.min(now, at + slept));
        }
        return slept;
    }
}
