package dev.tutti.serve.metrics;

import dev.tutti.serve.model.InferenceListener;
import dev.tutti.serve.model.ModelRegistry;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.serve.model.ServedModel;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests, their times and the batches they were computed in. Units are base units: seconds, bytes, rows. */
public final class ServingMetrics implements InferenceListener {
    private record RequestKey(String model, String version, String protocol, int code) {}

    private record ModelKey(String model, long version) {}

    /** Times and batches of one version. */
    public static final class VersionMetrics {
        private final BucketCounts latency = new BucketCounts(BucketCounts.SECONDS);
        private final BucketCounts batchRows = new BucketCounts(BucketCounts.ROWS);
        private final BucketCounts batchSeconds = new BucketCounts(BucketCounts.SECONDS);
        private final LongAdder rows = new LongAdder();

        /** Seconds from the arrival of a request to its answer. */
        public BucketCounts latency() {
            return latency;
        }

        public BucketCounts batchRows() {
            return batchRows;
        }

        public long rows() {
            return rows.sum();
        }
    }

    private final Map<RequestKey, LongAdder> requests = new ConcurrentHashMap<>();
    private final Map<ModelKey, VersionMetrics> versions = new ConcurrentHashMap<>();

    @Override
    public void batch(String model, long version, int rows, int count, double seconds) {
        VersionMetrics metrics = of(model, version);
        metrics.batchRows.add(rows);
        metrics.batchSeconds.add(seconds);
        metrics.rows.add(rows);
    }

    /** Notes an answer by a version. */
    public void answered(String model, long version, String protocol, double seconds) {
        count(model, Long.toString(version), protocol, 200);
        of(model, version).latency.add(seconds);
    }

    /** Notes a request that was refused; the model is the one of the repository or empty, never a name a client made up. */
    public void refused(String model, String protocol, int code) {
        count(model, "", protocol, code);
    }

    private void count(String model, String version, String protocol, int code) {
        requests.computeIfAbsent(new RequestKey(model, version, protocol, code), key -> new LongAdder())
                .increment();
    }

    /** What was measured about a version. */
    public VersionMetrics of(String model, long version) {
        return versions.computeIfAbsent(new ModelKey(model, version), key -> new VersionMetrics());
    }

    /** Requests so far that have this status. */
    public long requests(int code) {
        return requests.entrySet().stream()
                .filter(entry -> entry.getKey().code == code)
                .mapToLong(entry -> entry.getValue().sum())
                .sum();
    }

    /** Everything, as Prometheus reads it. */
    public String text(ModelRegistry registry) {
        ExpositionText text = new ExpositionText();
        text.family("tutti_requests_total", "counter", "Requests for predictions by status code.");
        requests.forEach((key, count) -> {
            Map<String, String> labels = new LinkedHashMap<>();
            labels.put("model", key.model);
            labels.put("version", key.version);
            labels.put("protocol", key.protocol);
            labels.put("code", Integer.toString(key.code));
            text.sample("tutti_requests_total", labels, count.sum());
        });
        text.family("tutti_request_duration_seconds", "histogram", "Time from the arrival of a request to its answer.");
        versions.forEach((key, of) -> text.histogram("tutti_request_duration_seconds", labels(key), of.latency));
        text.family("tutti_batch_rows", "histogram", "Rows that were computed together.");
        versions.forEach((key, of) -> text.histogram("tutti_batch_rows", labels(key), of.batchRows));
        text.family("tutti_batch_duration_seconds", "histogram", "Time to compute a batch.");
        versions.forEach((key, of) -> text.histogram("tutti_batch_duration_seconds", labels(key), of.batchSeconds));
        text.family("tutti_queue_rows", "gauge", "Rows that wait for a replica.");
        forEachVersion(registry, (labels, version) -> text.sample("tutti_queue_rows", labels, version.queuedRows()));
        text.family("tutti_model_parameter_bytes", "gauge", "Memory of the parameters, which all replicas share.");
        forEachVersion(
                registry,
                (labels, version) -> text.sample("tutti_model_parameter_bytes", labels, version.parameterBytes()));
        process(text);
        return text.toString();
    }

    private static Map<String, String> labels(ModelKey key) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("model", key.model);
        labels.put("version", Long.toString(key.version));
        return labels;
    }

    private static void forEachVersion(
            ModelRegistry registry, java.util.function.BiConsumer<Map<String, String>, ModelVersion> each) {
        for (ServedModel model : registry.models()) {
            for (ModelVersion version : model.versions()) {
                each.accept(labels(new ModelKey(model.name(), version.number())), version);
            }
        }
    }

    private static void process(ExpositionText text) {
        var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        text.family("jvm_memory_used_bytes", "gauge", "Memory of the Java heap in use.");
        text.sample("jvm_memory_used_bytes", Map.of("area", "heap"), heap.getUsed());
        text.family("jvm_threads", "gauge", "Live threads.");
        text.sample("jvm_threads", Map.of(), ManagementFactory.getThreadMXBean().getThreadCount());
        long resident = residentBytes();
        if (resident > 0) {
            text.family("process_resident_memory_bytes", "gauge", "Memory of the process.");
            text.sample("process_resident_memory_bytes", Map.of(), resident);
        }
        text.family("process_uptime_seconds", "gauge", "Time since the process was started.");
        text.sample(
                "process_uptime_seconds",
                Map.of(),
                ManagementFactory.getRuntimeMXBean().getUptime() / 1e3);
    }

    /** On Linux; elsewhere 0. */
    private static long residentBytes() {
        try {
            String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
            return Long.parseLong(pages[1]) * 4096;
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }
}
