package dev.tutti.serve.model;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The models in service. It follows its repository: a new version is loaded and warmed up first, then answers; a version that is no
 * longer wanted is taken out of the routes first, then drained, then closed. So no request is dropped by a change.
 *
 * <p>Order of calls: {@link #refresh} once, then {@link #watch}; {@link #close} at the end. Changes are made by one thread at a time;
 * requests take no lock.
 */
public final class ModelRegistry implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ModelRegistry.class);

    /** What is known about a model between two looks at the repository. */
    private static final class Loaded {
        private final ServedModel served;
        private final TreeMap<Long, ModelVersion> versions = new TreeMap<>();
        private final Map<Long, String> fingerprints = new TreeMap<>();
        private final TreeMap<Long, String> failures = new TreeMap<>();
        private TrafficPolicy policy;

        Loaded(ServedModel served, TrafficPolicy policy) {
            this.served = served;
            this.policy = policy;
        }
    }

    private final ModelRepository repository;
    private final ServingSettings settings;
    private final InferenceListener listener;
    private final Map<String, Loaded> loaded = new TreeMap<>(); // guarded by this
    private final Set<String> unloaded = new TreeSet<>(); // guarded by this
    private final ConcurrentSkipListMap<String, ServedModel> models = new ConcurrentSkipListMap<>();
    private final Set<Thread> draining = ConcurrentHashMap.newKeySet();
    private Thread watcher;
    private volatile boolean closed;

    public ModelRegistry(ModelRepository repository, ServingSettings settings, InferenceListener listener) {
        this.repository = repository;
        this.settings = settings;
        this.listener = listener;
    }

    public ServingSettings settings() {
        return settings;
    }

    public Collection<ServedModel> models() {
        return models.values();
    }

    /**
     * A model by its name.
     *
     * @throws ServeException if there is none; it names the nearest one
     */
    public ServedModel model(String name) {
        ServedModel model = models.get(name);
        if (model == null) {
            throw new ServeException(
                    Reason.NOT_FOUND,
                    "there is no model '" + name.substring(0, Math.min(64, name.length())) + "'"
                            + DidYouMean.hint(name, models.keySet()));
        }
        return model;
    }

    /** Whether all models of the repository have a version that answers. */
    public boolean isReady() {
        return !closed && models.values().stream().allMatch(ServedModel::isReady);
    }

    /** Looks at the repository from now on, on a thread of its own. */
    public synchronized void watch() {
        watcher = new Thread(this::follow, "serve repository");
        watcher.setDaemon(true);
        watcher.start();
    }

    private void follow() {
        while (!closed) {
            try {
                Thread.sleep(settings.poll().toMillis());
                refresh();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.warn("the repository {} could not be read: {}", repository.root(), e.getMessage());
            }
        }
    }

    /** Makes the models in service those of the repository. */
    public synchronized void refresh() {
        if (closed) {
            return;
        }
        Map<String, ModelRepository.Found> found = repository.scan();
        found.keySet().removeAll(unloaded);
        found.forEach(this::follow);
        for (String name : List.copyOf(loaded.keySet())) {
            if (!found.containsKey(name)) {
                remove(name);
            }
        }
    }

    private void follow(String name, ModelRepository.Found found) {
        Loaded model =
                loaded.computeIfAbsent(name, key -> new Loaded(new ServedModel(name), ModelRepository.policy(found)));
        if (found.isVersioned()) {
            TreeSet<Long> wanted = new TreeSet<>(found.versions().descendingKeySet().stream()
                    .limit(settings.keptVersions())
                    .toList());
            wanted.addAll(model.policy.versions());
            wanted.retainAll(found.versions().keySet());
            wanted.forEach(number -> load(model, name, number, found));
            retain(model, wanted);
        } else {
            followSingle(model, name, found);
        }
        models.putIfAbsent(name, model.served);
    }

    /** A model without numbered versions: each time its files are replaced it is the next version. */
    private void followSingle(Loaded model, String name, ModelRepository.Found found) {
        String fingerprint = ModelRepository.fingerprint(found.versions().get(0L));
        if (fingerprint.equals(model.fingerprints.get(0L))) {
            return;
        }
        model.fingerprints.put(0L, fingerprint);
        long next = model.versions.isEmpty() ? 1 : model.versions.lastKey() + 1;
        TreeMap<Long, java.nio.file.Path> versions =
                new TreeMap<>(Map.of(next, found.versions().get(0L)));
        load(model, name, next, new ModelRepository.Found(found.folder(), versions));
        TreeSet<Long> wanted = new TreeSet<>(model.versions.descendingKeySet().stream()
                .limit(settings.keptVersions())
                .toList());
        wanted.addAll(model.policy.versions());
        retain(model, wanted);
    }

    private void load(Loaded model, String name, long number, ModelRepository.Found found) {
        var folder = found.versions().get(number);
        String fingerprint = ModelRepository.fingerprint(folder);
        if (model.versions.containsKey(number) || fingerprint.equals(model.fingerprints.get(number))) {
            return; // a version never changes; one that failed is tried again when its files have changed
        }
        try {
            long began = System.nanoTime();
            ModelVersion version = ModelVersion.load(
                    name,
                    number,
                    folder,
                    settings,
                    (rows, requests, seconds) -> listener.batch(name, number, rows, requests, seconds));
            model.versions.put(number, version);
            model.failures.remove(number);
            LOG.info("{} is in service after {} ms", version, (System.nanoTime() - began) / 1_000_000);
        } catch (TuttiException e) {
            model.fingerprints.put(number, fingerprint);
            model.failures.put(number, e.getMessage());
            LOG.warn("version {} of model {} is not served: {}", number, name, e.getMessage());
        }
        model.served.route(model.versions, model.policy, model.failures);
    }

    private void retain(Loaded model, Set<Long> wanted) {
        List<ModelVersion> old = new ArrayList<>();
        if (wanted.stream().noneMatch(model.versions::containsKey)) {
            return; // none of the new ones can be loaded: the old ones go on
        }
        model.versions.entrySet().removeIf(entry -> {
            boolean drop = !wanted.contains(entry.getKey());
            if (drop) {
                old.add(entry.getValue());
            }
            return drop;
        });
        if (!old.isEmpty()) {
            model.served.route(model.versions, model.policy, model.failures);
            old.forEach(this::drain);
        }
    }

    private void drain(ModelVersion version) {
        Thread thread = new Thread(
                () -> {
                    version.close(settings.drain());
                    LOG.info("{} was drained and closed", version);
                    draining.remove(Thread.currentThread());
                },
                "serve drain");
        thread.setDaemon(true);
        draining.add(thread);
        thread.start();
    }

    private void remove(String name) {
        models.remove(name);
        Loaded model = loaded.remove(name);
        model.served.route(new TreeMap<>(), model.policy, new TreeMap<>());
        model.versions.values().forEach(this::drain);
    }

    // ---- changes by administrators

    /**
     * Changes how traffic is divided; kept in the repository.
     *
     * @throws ServeException if the policy names a version that the repository does not have
     */
    public synchronized TrafficPolicy change(String name, UnaryOperator<TrafficPolicy> change) {
        model(name);
        Loaded model = loaded.get(name);
        ModelRepository.Found found = repository.scan().get(name);
        if (found == null) {
            throw new ServeException(Reason.CONFLICT, "model '" + name + "' is no longer in the repository");
        }
        TrafficPolicy changed = change.apply(model.policy);
        Set<Long> known = new TreeSet<>(model.versions.keySet());
        if (found.isVersioned()) {
            known.addAll(found.versions().keySet());
        }
        for (long version : changed.versions()) {
            if (!known.contains(version)) {
                throw new ServeException(
                        Reason.NOT_FOUND,
                        "model '" + name + "' has no version " + version + ": expected one of " + known);
            }
        }
        ModelRepository.keep(found, changed);
        model.policy = changed;
        follow(name, found);
        model.served.route(model.versions, model.policy, model.failures);
        return changed;
    }

    /** Sends requests that name no version to the version before the present one, and gives its number. */
    public synchronized long stepBack(String name) {
        ServedModel served = model(name);
        long current = served.preferred()
                .orElseThrow(
                        () -> new ServeException(Reason.UNAVAILABLE, "model '" + name + "' has no version in service"))
                .number();
        Long earlier = loaded.get(name).versions.lowerKey(current);
        ModelRepository.Found found = repository.scan().get(name);
        if (found != null && found.isVersioned() && found.versions().lowerKey(current) != null) {
            earlier = found.versions().lowerKey(current);
        }
        if (earlier == null) {
            throw new ServeException(
                    Reason.CONFLICT, "model '" + name + "' has no version before " + current + " to step back to");
        }
        long target = earlier;
        change(
                name,
                policy -> new TrafficPolicy(
                        Map.of(), target)); // shares would keep sending traffic to the version that is left
        return target;
    }

    /** Takes a model out of service, or back into it. */
    public synchronized void inService(String name, boolean wanted) {
        if (!wanted) {
            model(name);
            unloaded.add(name);
        } else if (!unloaded.remove(name)) {
            if (!repository.scan().containsKey(name)) {
                model(name);
            }
        }
        refresh();
    }

    /** The names of models that were taken out of service. */
    public synchronized Set<String> outOfService() {
        return new TreeSet<>(unloaded);
    }

    /** Takes all models out of service, lets them finish their answers, and frees their memory. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (watcher != null) {
                watcher.interrupt();
            }
            List.copyOf(loaded.keySet()).forEach(this::remove);
        }
        long deadline = System.nanoTime()
                + settings.drain().plus(Duration.ofSeconds(15)).toNanos();
        for (Thread thread : List.copyOf(draining)) {
            try {
                thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
