package dev.tutti.jobs.queue;

import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The core time that each user has used, of which half is forgotten in an hour. It is written down every few seconds, so that a service
 * that was killed goes on with it.
 *
 * <p>Not safe for several threads: its owner calls it under one lock.
 */
final class FairShares {
    private static final Logger LOG = LoggerFactory.getLogger(FairShares.class);
    private static final Duration WRITE_EVERY = Duration.ofSeconds(5);
    private static final double HALF_LIFE_SECONDS = 3600;

    /** The file: seconds by user, at a time. */
    record UsedTime(String at, Map<String, Double> coreSeconds) {}

    private final Path file;
    private final Map<String, Double> used = new HashMap<>();
    private Instant now;
    private Instant written;

    FairShares(Path file, Instant now) {
        this.file = file;
        this.now = now;
        this.written = now;
    }

    /** Takes over what a service before has written. */
    void read() {
        if (!Files.isRegularFile(file)) {
            return;
        }
        try {
            UsedTime before = Json.read(file, UsedTime.class);
            double kept = kept(Duration.between(Instant.parse(before.at()), now));
            before.coreSeconds().forEach((user, seconds) -> used.put(user, seconds * kept));
        } catch (RuntimeException e) {
            LOG.warn("the core time of users begins at 0: {}", e.getMessage());
        }
    }

    /** Time goes on; gives the seconds since the last call. */
    double advance(Instant to) {
        Duration passed = Duration.between(now, to);
        double kept = kept(passed);
        used.replaceAll((user, seconds) -> seconds * kept);
        now = to;
        return passed.toMillis() / 1e3;
    }

    private static double kept(Duration passed) {
        return Math.pow(0.5, Math.max(0, passed.toMillis()) / 1e3 / HALF_LIFE_SECONDS);
    }

    void add(String user, double coreSeconds) {
        used.merge(user, coreSeconds, Double::sum);
    }

    void writeNowAndThen() {
        if (!used.isEmpty() && Duration.between(written, now).compareTo(WRITE_EVERY) >= 0) {
            written = now;
            AtomicFile.write(file, Json.write(new UsedTime(now.toString(), byUser())) + "\n");
        }
    }

    Map<String, Double> byUser() {
        return new TreeMap<>(used);
    }
}
