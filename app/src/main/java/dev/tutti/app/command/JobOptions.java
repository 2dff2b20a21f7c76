package dev.tutti.app.command;

import dev.tutti.app.UsageException;
import dev.tutti.json.Json;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.replica.Strategy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The options that set keys of a job over what its file says. */
public final class JobOptions {
    @Option(names = "--epochs", paramLabel = "N", description = "How often to go through the data.")
    private String epochs;

    @Option(names = "--batch", paramLabel = "N", description = "Rows to a batch.")
    private String batch;

    @Option(names = "--learning-rate", paramLabel = "RATE", description = "The optimizer's learning rate.")
    private String learningRate;

    @Option(names = "--seed", paramLabel = "N", description = "What all that is random follows from.")
    private String seed;

    @Option(names = "--cores", paramLabel = "N", description = "Cores that one operation may use; all by default.")
    private String cores;

    @Option(names = "--threads", hidden = true)
    private String threads;

    @Option(names = "--device", paramLabel = "NAME", description = "auto, cpu, cuda or cuda:1.")
    private String device;

    @Option(
            names = "--precision",
            paramLabel = "NAME",
            description =
                    "What products are computed in: float32, bf16 where the processor has it, or fp16 for graphics cards.")
    private String precision;

    @Option(names = "--output", paramLabel = "FOLDER", description = "Where the results go; runs/NAME by default.")
    private String output;

    @Option(
            names = "--cluster",
            paramLabel = "WHERE",
            description = "Where training runs: here, threads, processes, or YAML such as {type: threads, workers: 2}.")
    private String cluster;

    @Option(names = "--workers", paramLabel = "N", description = "Train on so many threads of this JVM.")
    private String workers;

    @Option(names = "--processes", paramLabel = "N", description = "Train in so many JVMs on this machine.")
    private String processes;

    @Option(
            names = "--on",
            paramLabel = "MASTER",
            description = "Train on a Spark cluster: spark://host:port, local-cluster[2,1,1024], yarn, ...")
    private String master;

    @Option(
            names = "--conf",
            paramLabel = "KEY=VALUE",
            description =
                    "With --on: a setting of Spark, such as spark.executor.memory=4g; may be given several times.")
    private Map<String, String> conf = new LinkedHashMap<>();

    @Option(names = "--strategy", paramLabel = "NAME", description = "How members agree: local, allReduce, ...")
    private String strategy;

    @Option(
            names = "--freeze",
            paramLabel = "PATTERN",
            description = "Parameters that do not learn, such as 'encoder*'; may be given several times.")
    private List<String> freeze = List.of();

    @Option(
            names = "--lora",
            paramLabel = "RANK",
            description = "Train low-rank adapters of this rank instead of the weights; saved alone, too.")
    private String lora;

    @Option(
            names = "--cache-trunk",
            description = "Compute the outputs of the frozen first layers once and keep them on disk.")
    private boolean cacheTrunk;

    @Option(
            names = "--trust",
            description =
                    "Let TorchScript files of the model run that Tutti has not written: they are programs. Remembered.")
    private boolean trust;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Any value of the job, such as optimizer.type=sgd or model.layers.0.filters=16.")
    private List<String> settings = List.of();

    /** Whether the user said where the results go. */
    boolean saysOutput() {
        return output != null;
    }

    /** The job with all that was said. */
    public JobFile in(JobFile file) {
        JobFile changed = place(file);
        for (Map.Entry<String, String> flag : flags().entrySet()) {
            if (flag.getValue() != null) {
                String key = flag.getKey().equals("optimizer.learningRate") ? "learning-rate" : flag.getKey();
                changed = changed.set(flag.getKey(), flag.getValue(), "--" + key + " " + flag.getValue());
            }
        }
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new UsageException("--set " + setting + ": expected KEY=VALUE, such as optimizer.type=sgd");
            }
            changed = changed.set(setting.substring(0, equals), setting.substring(equals + 1), "--set " + setting);
        }
        return changed;
    }

    /**
     * Requires that the TorchScript files of a job may run.
     *
     * @throws UsageException if they may not
     */
    public void requireTrust(JobFile file) {
        if (file.job().model() != null) {
            ScriptTrust.ofUser().require(file.job().model().scripts(), trust);
        }
    }

    private Map<String, String> flags() {
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("epochs", epochs);
        flags.put("batch", batch);
        flags.put("optimizer.learningRate", learningRate);
        flags.put("seed", seed);
        flags.put("cores", cores);
        flags.put("threads", threads);
        flags.put("device", device);
        flags.put("precision", precision);
        flags.put("output", output);
        flags.put("strategy", strategy);
        flags.put("freeze", freeze.isEmpty() ? null : Json.write(freeze));
        flags.put("lora", lora);
        flags.put("cacheTrunk", cacheTrunk ? "true" : null);
        return flags;
    }

    /** The strategy that the options name. */
    public Optional<Strategy> strategy() {
        return Optional.ofNullable(strategy).map(text -> Json.readYaml(text, Strategy.class, "--strategy " + text));
    }

    /** Whether the options say where training runs. */
    public boolean namesPlace() {
        return Stream.of(cluster, workers, processes, master).anyMatch(Objects::nonNull);
    }

    /** Where training runs is said in one of four ways. */
    private JobFile place(JobFile file) {
        long said = Stream.of(cluster, workers, processes, master)
                .filter(Objects::nonNull)
                .count();
        if (said > 1) {
            throw new UsageException(
                    "say one of --cluster, --workers, --processes and --on; for threads within processes:"
                            + " --cluster '{type: processes, members: 2, ...}'");
        }
        if (!conf.isEmpty() && master == null) {
            throw new UsageException("--conf: expected --on as well, which says the Spark cluster that it is for");
        }
        if (cluster != null) {
            return file.set("cluster", cluster, "--cluster " + cluster);
        }
        if (master != null) {
            Map<String, Object> value = new LinkedHashMap<>(Map.of("type", "spark", "master", master));
            if (!conf.isEmpty()) {
                value.put("conf", conf);
            }
            return file.set("cluster", Json.write(value), "--on " + master);
        }
        if (workers != null) {
            String value = "{type: threads, workers: " + count("--workers", workers) + "}";
            return file.set("cluster", value, "--workers " + workers);
        }
        if (processes != null) {
            String value = "{type: processes, members: " + count("--processes", processes) + "}";
            return file.set("cluster", value, "--processes " + processes);
        }
        return file;
    }

    private static String count(String option, String value) {
        if (!value.matches("[1-9]\\d{0,4}")) {
            throw new UsageException(option + " " + value + ": expected a whole number from 1 on");
        }
        return value;
    }
}
