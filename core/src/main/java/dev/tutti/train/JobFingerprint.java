package dev.tutti.train;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The settings that all members of a job must share, each under its path, such as {@code optimizer.learningRate}.
 *
 * <p>Two members with equal fingerprints train the same model on the same data in the same way. What may differ by member is no part of
 * it: paths, cores, threads, devices, caches, callbacks.
 */
public final class JobFingerprint {
    /** A section with more text than this is represented by its digest: a difference is then known, but not where it is. */
    private static final int LONGEST_SECTION = 1 << 18;

    private final SortedMap<String, String> settings = new TreeMap<>();

    private JobFingerprint() {}

    /**
     * The settings of some work by their paths. Reads rows of its data.
     *
     * @throws dev.tutti.data.DataException if the data cannot be read
     */
    public static Map<String, String> of(WorkerTask work) {
        JobFingerprint fingerprint = new JobFingerprint();
        TrainingConfig config = work.config();
        Fit fit = work.fit();
        fingerprint.add("model", work.model());
        fingerprint.add("optimizer", config.optimizer());
        fingerprint.add("loss", config.loss());
        fingerprint.add("metrics", config.metrics());
        fingerprint.add("movingAverage", config.movingAverage());
        fingerprint.add("seed", config.seed());
        fingerprint.add("precision", config.precision());
        fingerprint.add("data", work.data());
        fit.validation().ifPresent(validation -> fingerprint.add("validation", validation));
        fingerprint.add("epochs", fit.epochs());
        fingerprint.add("accumulate", fit.accumulate());
        fingerprint.add("strategy", fit.strategy());
        return fingerprint.settings;
    }

    private void add(String section, Object value) {
        SortedMap<String, String> flat = new TreeMap<>();
        flatten(section, tree(value), flat);
        long characters = flat.entrySet().stream()
                .mapToLong(setting ->
                        setting.getKey().length() + (long) setting.getValue().length())
                .sum();
        settings.putAll(characters > LONGEST_SECTION ? Map.of(section, digest(flat.toString())) : flat);
    }

    /** The definition as a tree; a class of the user's own that has no name in files as its text. */
    private static JsonNode tree(Object value) {
        Object plain = value instanceof Dataset data ? data.identity() : value;
        try {
            return Json.json().valueToTree(plain);
        } catch (IllegalArgumentException e) {
            return Json.json().getNodeFactory().textNode(value.getClass().getName());
        }
    }

    private static void flatten(String path, JsonNode node, Map<String, String> into) {
        if (node.isObject()) {
            node.properties().forEach(field -> flatten(path + "." + field.getKey(), field.getValue(), into));
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                flatten(path + "[" + i + "]", node.get(i), into);
            }
        } else {
            into.put(path, node.asText());
        }
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "SHA-256 " + HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
