package dev.tutti.tune.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.metric.Metric;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.job.Job;
import dev.tutti.train.job.JobFile;
import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.Trial;
import dev.tutti.tune.TuneSettings;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The job of each trial: that of the search space with a trial's values, on one place of this machine. */
final class TrialJob {
    /** Checkpoints of a trial serve to go on with it. */
    private static final int KEPT_CHECKPOINTS = 2;

    private final SearchSpace space;
    private final TuneSettings settings;
    private final String name;
    private final TuneFolder folder;
    private final Job sample;

    /** @throws ConfigException if the job at the first values is none */
    TrialJob(SearchSpace space, TuneSettings settings, String name, TuneFolder folder) {
        this.space = space;
        this.settings = settings;
        this.name = name;
        this.folder = folder;
        double[] middle = new double[space.dimensions().size()];
        java.util.Arrays.fill(middle, 0.5);
        sample = JobFile.of(
                        Json.writeYaml(space.job(space.values(middle))), name + " (with values in the middle)", name)
                .job();
    }

    /** Epochs of a whole training. */
    int epochs() {
        return sample.epochs();
    }

    /** The value that is compared. */
    String metric() {
        List<String> known = Stream.concat(sample.metrics().stream().map(Metric::name), Stream.of("loss"))
                .toList();
        String metric = settings.metric().orElse(known.get(0));
        if (!known.contains(metric)) {
            throw new ConfigException(
                    "tune: metric: there is no '" + metric + "': the job measures " + String.join(", ", known));
        }
        return metric;
    }

    boolean higherIsBetter() {
        String metric = metric();
        return sample.metrics().stream().anyMatch(each -> each.name().equals(metric) && each.higherIsBetter());
    }

    /** What is learned and how, with some values. */
    TrainingConfig config(Map<String, JsonNode> values) {
        return JobFile.of(Json.writeYaml(space.job(values)), name, name).job().config();
    }

    /** The job of a trial as people would write it. */
    ObjectNode of(Trial trial) {
        return space.job(trial.values());
    }

    /** What a place is asked to do for a trial. */
    TrialOrder order(Trial trial, boolean resume, boolean saveOnly) {
        ObjectNode job = of(trial);
        job.put("name", name + "-" + trial.name());
        job.put("output", folder.trial(trial.name()).toString());
        if (!job.has("checkpoints")) {
            job.putObject("checkpoints").put("keep", KEPT_CHECKPOINTS);
        }
        if (settings.places() > 1) {
            job.remove("cluster"); // a place is one member
            job.remove("strategy");
            if (!job.has("cores")) {
                job.put("cores", Math.max(1, Runtime.getRuntime().availableProcessors() / settings.places()));
            }
        }
        return new TrialOrder(trial.number(), name + "-" + trial.name(), Json.writeYaml(job), resume, saveOnly);
    }
}
