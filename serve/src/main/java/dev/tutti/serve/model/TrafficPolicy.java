package dev.tutti.serve.model;

import dev.tutti.TuttiException;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which version answers a request that names none. Labels with a share of the traffic take their shares; without shares the pinned
 * version answers, else the newest.
 *
 * @param labels by name, such as {@code stable} and {@code canary}
 * @param pinned the version that a step back chose; 0 for none
 */
public record TrafficPolicy(Map<String, Label> labels, long pinned) {
    public static final TrafficPolicy NEWEST = new TrafficPolicy(Map.of(), 0);

    /** A name for a version, with its share of the traffic: a weight of 0 or more. */
    public record Label(long version, double share) {
        public Label {
            if (version < 1 || !(share >= 0) || share > 1e9) {
                throw new TuttiException(
                        "a label has a version of 1 or more and a share of 0 or more: received version " + version
                                + ", share " + share);
            }
        }
    }

    public TrafficPolicy {
        labels = labels == null ? Map.of() : Map.copyOf(labels);
    }

    public TrafficPolicy label(String name, Label label) {
        if (!name.matches(ModelRepository.NAME)) {
            throw new TuttiException("a label is made of letters, digits, '.', '_' and '-': received '" + name + "'");
        }
        Map<String, Label> more = new TreeMap<>(labels);
        more.put(name, label);
        return new TrafficPolicy(more, pinned);
    }

    public TrafficPolicy without(String name) {
        Map<String, Label> fewer = new TreeMap<>(labels);
        fewer.remove(name);
        return new TrafficPolicy(fewer, pinned);
    }

    public TrafficPolicy pin(long version) {
        return new TrafficPolicy(labels, version);
    }

    /** The version that answers, where the policy names one; {@code chance} is uniform in [0, 1). */
    Optional<Long> choose(double chance) {
        double sum = labels.values().stream().mapToDouble(Label::share).sum();
        if (sum > 0) {
            double left = chance * sum;
            for (Label label : new TreeMap<>(labels).values()) {
                left -= label.share();
                if (left < 0) {
                    return Optional.of(label.version());
                }
            }
        }
        return pinned > 0 ? Optional.of(pinned) : Optional.empty();
    }

    /** The version with the largest share, the newest of several; else the pinned one, where there is one. */
    Optional<Long> leading() {
        return labels.values().stream()
                .filter(label -> label.share() > 0)
                .max(Comparator.comparingDouble(Label::share).thenComparingLong(Label::version))
                .map(Label::version)
                .or(() -> pinned > 0 ? Optional.of(pinned) : Optional.empty());
    }

    /** The versions that the policy names. */
    Set<Long> versions() {
        Set<Long> named = new TreeSet<>();
        labels.values().forEach(label -> named.add(label.version()));
        if (pinned > 0) {
            named.add(pinned);
        }
        return named;
    }
}
