package dev.tutti.train.job;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.data.transform.Transform;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.nn.LowRankAdapter;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Everything about a training run: data, model, how it learns, where the results go.
 *
 * <p>A value that can be written as JSON or YAML, kept beside the result and sent to another machine. It is read by
 * {@link JobFile} and checked by {@link ReadyJob}; paths are relative to the folder the program runs in.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class Job {
    private String name;
    private JobData data;
    private JobModel model;

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    @JsonAlias("features")
    private List<Transform> preprocessing = List.of();

    private List<String> classes = List.of();
    private JobAdoption adopt;

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> freeze = List.of();

    private JobLora lora;
    private boolean cacheTrunk;
    private JobDistillation distill;
    private Loss loss;
    private Optimizer optimizer;

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<Metric> metrics = List.of();

    private double movingAverage;
    private ComputePrecision precision = ComputePrecision.FLOAT32;
    private Integer batch;
    private boolean shuffle = true;
    private int accumulate = 1;
    private int epochs = 1;
    private long seed;

    @JsonAlias("threads")
    private Integer cores;

    private String device = "auto";
    private Launcher cluster;
    private Strategy strategy;
    private JobCheckpoints checkpoints = new JobCheckpoints();

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<JobCallback> callbacks = List.of();

    private String output;

    private Job() {}

    /** What people call it; by default the name of the file. */
    public String name() {
        return name;
    }

    /** The job under a name, unless it has one. */
    void nameIfAbsent(String fallback) {
        name = name == null ? fallback : name;
    }

    public JobData data() {
        return data;
    }

    public JobModel model() {
        return model;
    }

    /** What is done to raw features before the model sees them; kept with the saved model. */
    public List<Transform> preprocessing() {
        return preprocessing;
    }

    /** The names of the classes, for people. */
    public List<String> classes() {
        return classes;
    }

    /** Weights that the model takes over before it learns. */
    public Optional<JobAdoption> adopt() {
        return Optional.ofNullable(adopt);
    }

    /** Patterns of parameters that do not learn, such as {@code encoder*}. */
    public List<String> freeze() {
        return freeze;
    }

    /** The adapters that learn in place of the model's weights. */
    public Optional<LowRankAdapter> lora() {
        return Optional.ofNullable(lora).map(JobLora::adapter);
    }

    /** Whether the outputs of the frozen first layers are computed once and kept on disk. */
    public boolean cacheTrunk() {
        return cacheTrunk;
    }

    /** The earlier model whose answers are learned too. */
    Optional<JobDistillation> distill() {
        return Optional.ofNullable(distill);
    }

    public Loss loss() {
        return loss;
    }

    public Optimizer optimizer() {
        return optimizer;
    }

    public List<Metric> metrics() {
        return metrics;
    }

    /** Decay of the moving average of the weights that is evaluated and saved instead of the last ones; 0 for none. */
    public double movingAverage() {
        return movingAverage;
    }

    /** What layers multiply in. */
    public ComputePrecision precision() {
        return precision;
    }

    /** Rows to a batch, if that was said. */
    public OptionalInt batch() {
        return batch == null ? OptionalInt.empty() : OptionalInt.of(batch);
    }

    /** Whether the training data is mixed anew in each epoch, by the job's seed. */
    public boolean shuffle() {
        return shuffle;
    }

    /** Batches that make one update. */
    public int accumulate() {
        return accumulate;
    }

    public int epochs() {
        return epochs;
    }

    /** What all that is random follows from. */
    public long seed() {
        return seed;
    }

    /** Cores that one operation may use; all of them unless that was said. */
    public OptionalInt cores() {
        return cores == null ? OptionalInt.empty() : OptionalInt.of(cores);
    }

    /** {@code auto}, {@code cpu}, {@code cuda} or {@code cuda:1}. */
    public String device() {
        return device;
    }

    /** Where training runs: in this JVM with one member by default. */
    public Launcher cluster() {
        return cluster == null ? Launcher.here() : cluster;
    }

    /** How members agree: by the default strategy of the cluster, unless another one was said. */
    public Strategy strategy() {
        return strategy == null ? cluster().defaultStrategy() : strategy;
    }

    /** What is learned and how. */
    public TrainingConfig config() {
        return new TrainingConfig(optimizer, loss, metrics, movingAverage, seed, precision);
    }

    /** How long and where training runs; callbacks and validation data are added by the one who runs it. */
    public Fit fit() {
        return Fit.epochs(epochs).accumulate(accumulate).on(cluster()).with(strategy());
    }

    public JobCheckpoints checkpoints() {
        return checkpoints;
    }

    public List<JobCallback> callbacks() {
        return callbacks;
    }

    /** The output if it is an address in a file system of its own, such as {@code hdfs://name/run}, and not a path of this machine. */
    public Optional<String> outputAddress() {
        return Optional.ofNullable(output).filter(text -> text.matches("[a-z][a-z0-9+.-]+:/.*"));
    }

    /** Where the results go: {@code runs/NAME} by default. */
    public RunFolder output() {
        return new RunFolder(Path.of(Optional.ofNullable(output).orElse("runs/" + name)));
    }
}
