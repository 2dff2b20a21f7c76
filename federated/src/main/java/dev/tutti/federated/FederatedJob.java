package dev.tutti.federated;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.BoundedNumber;
import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.data.Dataset;
import dev.tutti.data.RowRandom;
import dev.tutti.federated.aggregate.Aggregation;
import dev.tutti.federated.aggregate.FedAvg;
import dev.tutti.federated.aggregate.Scaffold;
import dev.tutti.federated.privacy.DifferentialPrivacy;
import dev.tutti.federated.privacy.SecureAggregation;
import dev.tutti.federated.wire.UpdateEncoding;
import dev.tutti.json.Definition;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Sgd;
import dev.tutti.optim.schedule.Progress;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.job.JobData;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Everything about a federated run: the model, how clients train, how rounds go, what is kept private.
 *
 * <pre>{@code
 * FederatedJob job = FederatedJob.of("digits", model, List.of(Input.of(1, 28, 28)), sgd(0.1), softmaxCrossEntropy())
 *         .rounds(20).epochs(1).batch(10).selection(new Selection().fraction(0.1).minimum(3));
 * }</pre>
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class FederatedJob extends Definition {
    private String name = "federated";
    private JobData data;
    private Layer model;
    private List<Input> inputs = List.of();
    private Loss loss;
    private Optimizer optimizer;

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<Metric> metrics = List.of();

    private int batch = 32;
    private int epochs = 1;
    private long seed;
    private int rounds = 10;
    private String dataset = "train";
    private Aggregation aggregation = new FedAvg();
    private Selection selection = new Selection();
    private double deadline = 60;
    private int least = 1;
    private double patience = 600;
    private int clientEvaluation;

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> personal = List.of();

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> freeze = List.of();

    private UpdateEncoding encoding = UpdateEncoding.FLOAT32;
    private DifferentialPrivacy privacy;
    private SecureAggregation secure;
    private String output;

    private FederatedJob() {}

    /** A job with the defaults: FedAvg, all clients, one epoch in batches of 32, 10 rounds. */
    public static FederatedJob of(String name, Layer model, List<Input> inputs, Optimizer optimizer, Loss loss) {
        FederatedJob job = new FederatedJob();
        job.name = name;
        job.model = model;
        job.inputs = List.copyOf(inputs);
        job.optimizer = optimizer;
        job.loss = loss;
        job.validate();
        return job;
    }

    /**
     * Checks the settings, which may come from a file.
     *
     * @throws TuttiException if one is missing, out of its bounds or does not fit another
     */
    @Override
    public void validate() {
        require(model != null, "a federated job needs a 'model'");
        require(optimizer != null, "a federated job needs an 'optimizer' for the clients");
        require(loss != null, "a federated job needs a 'loss'");
        bounded("batch", batch).atLeast(0);
        bounded("epochs", epochs).atLeast(1).atMost(1000);
        bounded("rounds", rounds).atLeast(1);
        bounded("deadline", deadline).above(0);
        bounded("least", least).atLeast(1);
        bounded("patience", patience).above(0);
        bounded("clientEvaluation", clientEvaluation).atLeast(0);
        aggregation.validate();
        selection.validate();
        if (aggregation instanceof Scaffold) {
            require(
                    optimizer instanceof Sgd,
                    "scaffold corrects the gradients of plain sgd: received " + optimizer.kind());
        }
        if (privacy != null) {
            privacy.validate();
            require(
                    aggregation.needsSumOnly(),
                    "privacy: noise hides a client in a sum, and " + aggregation.kind()
                            + " looks at single updates: choose fedAvg, fedAvgM, fedAdam, fedAdagrad, fedYogi or"
                            + " fedProx");
        }
        if (secure != null) {
            secure.validate();
            require(
                    aggregation.needsSumOnly(),
                    "secure: the server learns sums only, and " + aggregation.kind() + " needs single updates");
            require(
                    encoding == UpdateEncoding.FLOAT32,
                    "secure: masked updates travel in fixed point, without encoding: received " + encoding);
        }
    }

    private static void require(boolean fits, String problem) {
        if (!fits) {
            throw new TuttiException(problem);
        }
    }

    private static BoundedNumber bounded(String setting, double value) {
        return new BoundedNumber("federated job", setting, value);
    }

    // ---- fluent settings

    public FederatedJob name(String newName) {
        return this.<FederatedJob>copy(c -> c.name = newName);
    }

    public FederatedJob model(Layer newModel) {
        return this.<FederatedJob>copy(c -> c.model = newModel);
    }

    public FederatedJob optimizer(Optimizer newOptimizer) {
        return this.<FederatedJob>copy(c -> c.optimizer = newOptimizer);
    }

    public FederatedJob inputs(List<Input> newInputs) {
        return this.<FederatedJob>copy(c -> c.inputs = List.copyOf(newInputs));
    }

    public FederatedJob metrics(Metric... choice) {
        return this.<FederatedJob>copy(c -> c.metrics = List.of(choice));
    }

    /** Rows to a batch at the clients; 0 for all rows of a client in one. */
    public FederatedJob batch(int rows) {
        return this.<FederatedJob>copy(c -> c.batch = rows);
    }

    /** Passes over its data that a client makes in a round. */
    public FederatedJob epochs(int count) {
        return this.<FederatedJob>copy(c -> c.epochs = count);
    }

    public FederatedJob seed(long newSeed) {
        return this.<FederatedJob>copy(c -> c.seed = newSeed);
    }

    public FederatedJob rounds(int count) {
        return this.<FederatedJob>copy(c -> c.rounds = count);
    }

    /** The name by which clients know their data set for this job. */
    public FederatedJob dataset(String localName) {
        return this.<FederatedJob>copy(c -> c.dataset = localName);
    }

    public FederatedJob aggregation(Aggregation choice) {
        return this.<FederatedJob>copy(c -> c.aggregation = choice);
    }

    public FederatedJob selection(Selection choice) {
        return this.<FederatedJob>copy(c -> c.selection = choice);
    }

    /** How long a round waits for answers. */
    public FederatedJob deadline(Duration limit) {
        return this.<FederatedJob>copy(c -> c.deadline = limit.toMillis() / 1e3);
    }

    /** Answers that are enough at the deadline; with fewer the round comes to nothing. */
    public FederatedJob least(int answers) {
        return this.<FederatedJob>copy(c -> c.least = answers);
    }

    /** How long the server waits for clients, or for a round that succeeds, before it gives up. */
    public FederatedJob patience(Duration limit) {
        return this.<FederatedJob>copy(c -> c.patience = limit.toMillis() / 1e3);
    }

    /** Evaluates the model at the clients after every so many rounds; 0 for never. */
    public FederatedJob clientEvaluation(int everyRounds) {
        return this.<FederatedJob>copy(c -> c.clientEvaluation = everyRounds);
    }

    /** Parameters that stay at the client: heads, norms, adapters. */
    public FederatedJob personal(String... patterns) {
        return this.<FederatedJob>copy(c -> c.personal = List.of(patterns));
    }

    /** Parameters that do not learn, and do not travel. */
    public FederatedJob freeze(String... names) {
        return this.<FederatedJob>copy(c -> c.freeze = List.of(names));
    }

    public FederatedJob encoding(UpdateEncoding choice) {
        return this.<FederatedJob>copy(c -> c.encoding = choice);
    }

    public FederatedJob privacy(DifferentialPrivacy choice) {
        return this.<FederatedJob>copy(c -> c.privacy = choice);
    }

    public FederatedJob secure(SecureAggregation choice) {
        return this.<FederatedJob>copy(c -> c.secure = choice);
    }

    /** Where the server keeps its state and the model. */
    public FederatedJob output(Path folder) {
        return this.<FederatedJob>copy(c -> c.output = folder.toString());
    }

    // ---- what others ask

    public String name() {
        return name;
    }

    public Optional<JobData> data() {
        return Optional.ofNullable(data);
    }

    public Layer model() {
        return model;
    }

    public List<Input> inputs() {
        return inputs;
    }

    public List<Metric> metrics() {
        return metrics;
    }

    public Loss loss() {
        return loss;
    }

    public Optimizer optimizer() {
        return optimizer;
    }

    public int batch() {
        return batch;
    }

    public int epochs() {
        return epochs;
    }

    public long seed() {
        return seed;
    }

    public int rounds() {
        return rounds;
    }

    public String dataset() {
        return dataset;
    }

    public Aggregation aggregation() {
        return aggregation;
    }

    /** Who takes part; each client by chance where privacy is accounted for. */
    public Selection selection() {
        return privacy == null ? selection : selection.poisson(true);
    }

    public Duration deadline() {
        return Duration.ofMillis((long) (deadline * 1e3));
    }

    /** Answers that are enough at the deadline, for the aggregation as well. */
    public int least() {
        return Math.max(least, aggregation.least());
    }

    public Duration patience() {
        return Duration.ofMillis((long) (patience * 1e3));
    }

    public int clientEvaluation() {
        return clientEvaluation;
    }

    public List<String> personal() {
        return personal;
    }

    public List<String> freeze() {
        return freeze;
    }

    public UpdateEncoding encoding() {
        return encoding;
    }

    public Optional<DifferentialPrivacy> privacy() {
        return Optional.ofNullable(privacy);
    }

    public Optional<SecureAggregation> secure() {
        return Optional.ofNullable(secure);
    }

    /** Where the results go: {@code runs/NAME} by default. */
    public Path output() {
        return Path.of(output == null ? "runs/" + name : output);
    }

    /** What is learned at a client and how. */
    public TrainingConfig config() {
        return new TrainingConfig(optimizer, loss, metrics, 0, seed);
    }

    /** Builds the model with its first values; the same on server and clients. */
    public Model build() {
        require(!inputs.isEmpty(), "a federated job needs the 'inputs' of its model, such as [{shape: [1, 28, 28]}]");
        Model built =
                ModelPlan.of(model, Model.Options.DEFAULT.seed(seed), inputs).build();
        freeze.forEach(built::freeze);
        return built;
    }

    /** The job as clients are told it: without the server's data and folders. */
    public FederatedJob forClients() {
        return this.<FederatedJob>copy(c -> {
            c.data = null;
            c.output = null;
        });
    }

    /** The shared parameters before the first round. */
    public float[] firstParameters() {
        try (Model built = build()) {
            return SharedParameters.of(built, personal).read(built);
        }
    }

    /** The job with the inputs of its model taken from data, unless it says them. */
    public FederatedJob inputsOf(Dataset rows) {
        return inputs.isEmpty()
                ? inputs(rows.spec().features().stream()
                        .map(feature ->
                                new Input(feature.shape(), feature.type().isFloating() ? DType.FLOAT32 : DType.INT64))
                        .toList())
                : this;
    }

    /** How clients train in a round; the schedule of the optimizer counts rounds. */
    public LocalSettings local(int round, String client) {
        double factor = optimizer.schedule().factor(Progress.of(round, rounds));
        long own = RowRandom.seed(seed, round, client.hashCode());
        return new LocalSettings(epochs, batch, factor, own, aggregation.local());
    }
}
