package dev.tutti.serve.model;

import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/** The versions of a model that answer now, and how traffic is divided among them. Reading takes no lock. */
public final class ServedModel {
    /** What holds at one moment; replaced whole. */
    private record Routes(TreeMap<Long, ModelVersion> versions, TrafficPolicy policy, TreeMap<Long, String> failures) {}

    private final String name;
    private volatile Routes routes = new Routes(new TreeMap<>(), TrafficPolicy.NEWEST, new TreeMap<>());

    ServedModel(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    /** The versions in memory, oldest first. */
    public Collection<ModelVersion> versions() {
        return List.copyOf(routes.versions.values());
    }

    public TrafficPolicy policy() {
        return routes.policy;
    }

    /** Versions that could not be loaded, and why. */
    public Map<Long, String> failures() {
        return new TreeMap<>(routes.failures);
    }

    public boolean isReady() {
        return !routes.versions.isEmpty();
    }

    void route(TreeMap<Long, ModelVersion> versions, TrafficPolicy policy, TreeMap<Long, String> failures) {
        routes = new Routes(new TreeMap<>(versions), policy, new TreeMap<>(failures));
    }

    /** The version that answers requests which name none; where shares divide them, the one with the largest. */
    public Optional<ModelVersion> preferred() {
        Routes now = routes;
        return now.versions.isEmpty() ? Optional.empty() : Optional.of(inService(now, now.policy.leading()));
    }

    private static ModelVersion inService(Routes now, Optional<Long> wanted) {
        ModelVersion named = wanted.map(now.versions::get).orElse(null);
        return named != null ? named : now.versions.lastEntry().getValue();
    }

    /**
     * Takes a version for one request; it stays open until the lease is closed.
     *
     * @throws ServeException if there is no such version or label, or the model is not loaded
     */
    public VersionLease lease(VersionChoice choice) {
        for (int attempt = 0; attempt < 100; attempt++) {
            ModelVersion version = find(choice);
            if (version.acquire()) {
                return new VersionLease(version);
            }
            Thread.onSpinWait(); // it was taken out of service just now: the routes name another one already
        }
        throw new ServeException(Reason.UNAVAILABLE, "model '" + name + "' is being taken out of service");
    }

    /** The version that a request is about; it may be taken out of service at any time. */
    public ModelVersion find(VersionChoice choice) {
        Routes now = routes;
        if (now.versions.isEmpty()) {
            throw new ServeException(Reason.UNAVAILABLE, "model '" + name + "' has no version in service");
        }
        if (choice.label().isPresent()) {
            String label = choice.label().get();
            TrafficPolicy.Label labelled = now.policy.labels().get(label);
            if (labelled == null) {
                throw new ServeException(
                        Reason.NOT_FOUND,
                        "model '" + name + "' has no label '" + label + "': expected one of "
                                + now.policy.labels().keySet());
            }
            return version(now, labelled.version());
        }
        return choice.version().isPresent()
                ? version(now, choice.version().getAsLong())
                : inService(now, now.policy.choose(ThreadLocalRandom.current().nextDouble()));
    }

    private ModelVersion version(Routes now, long number) {
        ModelVersion version = now.versions.get(number);
        if (version == null) {
            throw new ServeException(
                    Reason.NOT_FOUND,
                    "model '" + name + "' has no version " + number + " in service: expected one of "
                            + now.versions.keySet());
        }
        return version;
    }
}
