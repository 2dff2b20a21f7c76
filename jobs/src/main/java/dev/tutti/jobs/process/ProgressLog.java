package dev.tutti.jobs.process;

import dev.tutti.TuttiException;
import dev.tutti.io.FileException;
import dev.tutti.jobs.JobFolder;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Evaluation;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.profile.TimeReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Appends how training goes to a file, one JSON object to a line, and follows settings that are changed meanwhile. */
final class ProgressLog implements Callback {
    private static final Logger LOG = LoggerFactory.getLogger(ProgressLog.class);

    /** A point for every quarter of a second is enough for curves, and small: 50 MB in a week. */
    private static final long INTERVAL_NANOS = 250_000_000;

    private final JobFolder folder;
    private long written = System.nanoTime() - INTERVAL_NANOS;
    private long samples;
    private Map<String, String> settings = Map.of();

    ProgressLog(JobFolder folder) {
        this.folder = folder;
    }

    @Override
    public void begin(Run run) {
        event("started", "training begins at epoch " + run.epoch() + ", step " + run.step());
    }

    @Override
    public void step(Run run) {
        long now = System.nanoTime();
        if (now - written < INTERVAL_NANOS) {
            return;
        }
        Map<String, Object> line = line("step");
        line.put("epoch", run.epoch());
        line.put("epochs", run.epochs());
        line.put("step", run.step());
        run.stepsPerEpoch().ifPresent(steps -> line.put("stepsPerEpoch", steps));
        line.put("loss", finite(run.lastLoss()));
        line.put("learningRate", run.learningRate());
        line.put("samplesPerSecond", (run.samplesSeen() - samples) / Math.max(1e-9, (now - written) / 1e9));
        append(line);
        written = now;
        samples = run.samplesSeen();
        follow(run);
    }

    private void follow(Run run) {
        Map<String, String> wanted = folder.settings();
        if (wanted.equals(settings)) {
            return;
        }
        wanted.forEach((key, value) -> {
            if (!value.equals(settings.get(key))) {
                try {
                    run.configure(key, value.isEmpty() ? null : value);
                    event("configured", key + " = " + value);
                } catch (TuttiException e) {
                    LOG.warn("the setting {} was not taken over: {}", key, e.getMessage());
                }
            }
        });
        settings = wanted;
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        Map<String, Object> line = line("epoch");
        line.put("epoch", result.epoch());
        line.put("epochs", run.epochs());
        line.put("step", result.steps());
        line.put("seconds", result.seconds());
        line.put("training", values(result.training()));
        result.validation().ifPresent(validation -> line.put("validation", values(validation)));
        append(line);
    }

    private static Map<String, Object> values(Evaluation evaluation) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("loss", finite(evaluation.loss()));
        evaluation.metrics().forEach((name, value) -> values.put(name, finite(value)));
        return values;
    }

    private static Object finite(double value) {
        return Double.isFinite(value) ? (Object) value : String.valueOf(value);
    }

    void event(String what, String words) {
        Map<String, Object> line = line("event");
        line.put("event", what);
        line.put("message", words);
        append(line);
    }

    /** Where the time of each member went, at the end. */
    void times(TimeReport times) {
        if (times == null || times.members().isEmpty()) {
            return;
        }
        Map<String, Object> line = line("times");
        line.put("limit", times.limit());
        line.put("members", times.members());
        append(line);
    }

    private static Map<String, Object> line(String kind) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("kind", kind);
        line.put("time", System.currentTimeMillis());
        return line;
    }

    private synchronized void append(Map<String, Object> line) {
        try {
            String text = Json.json()
                    .writer()
                    .without(com.fasterxml.jackson.databind.SerializationFeature.INDENT_OUTPUT)
                    .writeValueAsString(line);
            Files.write(
                    folder.progress(),
                    (text + "\n").getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new FileException(folder.progress().toString(), "cannot be written: " + e.getMessage());
        }
    }
}
