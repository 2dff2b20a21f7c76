package dev.tutti.cluster.coordinator;

import java.util.HashMap;
import java.util.Map;

/**
 * Judges members by how long they have been silent, and by whether their connection broke.
 *
 * <p>Time in which the detector itself did not run (its process was stopped, its disk hung) is not held against anybody: {@link
 * #awake} has to be called regularly.
 */
final class SilenceDetector implements FailureDetector {
    private final Patience patience;
    private final Map<String, Long> heard = new HashMap<>();
    private final Map<String, Long> broken = new HashMap<>();
    private long awakeAt = Long.MIN_VALUE;

    SilenceDetector(Patience patience) {
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
    void disconnected(String member, long at) {
        broken.putIfAbsent(member, at);
    }

    void connected(String member, long at) {
        broken.remove(member);
        heard(member, at);
    }

    /** Says that the detector runs; after a longer pause of its own everybody gets that time back. */
    void awake(long now) {
        if (awakeAt != Long.MIN_VALUE) {
            long pause = now - awakeAt;
            if (pause > Math.min(patience.unresponsive() / 2, patience.reconnect())) {
                heard.replaceAll((member, at) -> Math.min(now, at + pause));
                broken.replaceAll((member, at) -> Math.min(now, at + pause));
            }
        }
        awakeAt = now;
    }
}
