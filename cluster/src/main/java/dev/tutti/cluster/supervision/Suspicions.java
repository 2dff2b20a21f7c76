package dev.tutti.cluster.supervision;

import dev.tutti.cluster.coordinator.Coordinator;
import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.coordinator.LossCause;
import dev.tutti.cluster.coordinator.MemberRecord;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.MessageText;
import dev.tutti.cluster.coordinator.Roster;
import dev.tutti.cluster.coordinator.Timeouts;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Judges members that are silent or slow, and says in the log, once, whom it has in mind. */
final class Suspicions {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);
    /**
     * From here on a slow member is mentioned, and again only when it is twice as slow as when last mentioned, also if it was as
     * fast as the others meanwhile: a pace that wavers on a busy machine does not fill the log.
     */
    private static final double WORTH_MENTIONING = 1.5;

    private final MembershipRules rules;
    private final Set<String> silent = new HashSet<>();
    private final Map<String, Double> slow = new HashMap<>();
    private final Set<String> recovered = new HashSet<>();
    private final Set<String> spared = new HashSet<>();

    Suspicions(MembershipRules rules) {
        this.rules = rules;
    }

    /** Members of this process are not sent away for being slow: the job would end with it. */
    void spare(String process) {
        spared.add(process);
    }

    /** Whether a member has been silent for too long. */
    Optional<Fact.Lost> judge(MemberRecord place, SilenceDetector detector, long now) {
        String id = place.id();
        Timeouts patience = rules.patience();
        switch (detector.stateOf(id, now)) {
            case GONE -> {
                return Optional.of(
                        detector.silence(id, now) >= patience.gone()
                                ? new Fact.Lost(
                                        id,
                                        LossCause.SILENT,
                                        "nothing was heard of it for " + silence(id, detector, now) + ", the limit is "
                                                + MessageText.seconds(patience.gone()))
                                : new Fact.Lost(
                                        id,
                                        LossCause.DISCONNECTED,
                                        "its connection broke and did not come back within "
                                                + MessageText.seconds(patience.reconnect())));
            }
            case UNRESPONSIVE -> {
                if (silent.add(id)) {
                    LOG.warn(
                            "{} is unresponsive: {}",
                            id,
                            detector.isBroken(id)
                                    ? "its connection broke"
                                    : "nothing was heard of it for " + silence(id, detector, now));
                }
            }
            case ALIVE -> {
                if (silent.remove(id)) {
                    LOG.info("{} is heard of again", id);
                }
            }
            case UNKNOWN -> detector.heard(id, now);
        }
        return Optional.empty();
    }

    private static String silence(String member, SilenceDetector detector, long now) {
        return MessageText.seconds(detector.silence(member, now));
    }

    /** Whether a member of the group is too slow. */
    Optional<Fact> judge(String member, StepPaces paces, Roster roster) {
        List<String> group = roster.group().members();
        OptionalDouble slower = roster.isOfGroup(member) ? paces.timesSlower(member, group) : OptionalDouble.empty();
        if (slower.isEmpty()) {
            return Optional.empty();
        }
        double times = slower.getAsDouble();
        double limit = rules.ejectSlowerThan();
        boolean mayGo = roster.livingCountOfGroup() > rules.min()
                && roster.place(member)
                        .map(place -> !spared.contains(place.process()))
                        .orElse(true);
        if (limit > 0 && times > limit && mayGo) {
            return Optional.of(new Fact.Lost(
                    member,
                    LossCause.SLOW,
                    pace(member, paces, times) + String.format(Locale.ROOT, ", the limit is %.1f", limit)));
        }
        if (times >= WORTH_MENTIONING && times >= 2 * slow.getOrDefault(member, 0.0)) {
            slow.put(member, times);
            recovered.remove(member);
            LOG.warn("{} is slow: {}", member, pace(member, paces, times));
        } else if (times < 1.2 && slow.containsKey(member) && recovered.add(member)) {
            LOG.info(
                    "{} is as fast as the others again: {} s for its part of a step",
                    member,
                    String.format(Locale.ROOT, "%.3f", paces.seconds(member)));
        }
        return Optional.empty();
    }

    private static String pace(String member, StepPaces paces, double times) {
        return String.format(
                Locale.ROOT,
                "it takes %.3f s for its part of a step, %.1f times as long as the others",
                paces.seconds(member),
                times);
    }

    /** Those that are silent and were not given up. */
    Set<String> silent() {
        return silent;
    }

    void forget(String member) {
        silent.remove(member);
        slow.remove(member);
        recovered.remove(member);
    }
}
