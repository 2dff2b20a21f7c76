package dev.tutti.strategy.mapreduce;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.json.Definition;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Model;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;
import java.util.function.Function;

/**
 * Training in rounds of map, shuffle and reduce. In each round the parameters go to all parts of the data, and gradients, or the
 * parameters that parts have learned by themselves, come back summed.
 *
 * <p>As a strategy, {@code epochs(20).on(Cluster.threads(2)).with(mapReduce())}, in a job {@code strategy: {type: mapReduce}}, an epoch is so
 * many rounds, one by default, and each round is a step: callbacks, checkpoints, schedules and validation are as everywhere. Rounds are
 * computed by threads of this JVM, or on Spark as Spark jobs. Without the training loop: {@code MapReduce.rounds(50).lbfgs().fit(engine, model, optimizer, loss)}.
 *
 * <p>Each round moves all parameters through the engine twice, so all-reduce is far faster where members can stay; this is for clusters
 * that run nothing but rounds, and for L-BFGS, which needs the gradient of all rows.
 */
public final class MapReduce extends Definition implements Strategy {
    private int rounds = 1;
    private int parts; // 0: as many as there are workers
    private int localEpochs;
    private double sample = 1;
    private boolean lbfgs;
    private RangeShuffle shuffle = RangeShuffle.SORT;
    private int ranges = 8;
    private int reducers = 2;
    private long seed;

    @JsonIgnore
    private Function<Dataset, MapReduceEngine> engines; // null: threads of this JVM

    /** One round, with the gradient of all rows; as a strategy in each epoch. */
    public MapReduce() {}

    /** So many rounds, each with the gradient of all rows. */
    public static MapReduce rounds(int count) {
        return new MapReduce().copy((MapReduce c) -> c.rounds = count);
    }

    /** About how many parts the data is cut into; as many as there are workers by default. Tables of Spark keep their partitions. */
    public MapReduce parts(int count) {
        return copy(c -> c.parts = count);
    }

    /** Parts learn by themselves for so many epochs, and their parameters are averaged by rows. */
    public MapReduce localEpochs(int count) {
        return copy(c -> c.localEpochs = count);
    }

    /** Gradients of a share of the batches, drawn anew in each round. */
    public MapReduce sample(double share) {
        return copy(c -> c.sample = share);
    }

    /** L-BFGS with a line search instead of the optimizer; each trial of the line search is a round. */
    public MapReduce lbfgs() {
        return copy(c -> c.lbfgs = true);
    }

    /** How partial sums reach their reducers. */
    public MapReduce shuffle(RangeShuffle choice) {
        return copy(c -> c.shuffle = choice);
    }

    /** How many ranges the parameters are cut into, and how many reducers sum them. */
    public MapReduce ranges(int ofParameters, int byReducers) {
        return copy(c -> {
            c.ranges = ofParameters;
            c.reducers = byReducers;
        });
    }

    /** What samples of batches follow from. */
    public MapReduce seed(long value) {
        return copy(c -> c.seed = value);
    }

    @Override
    public void validate() {
        require(rounds >= 1, "rounds: expected at least 1, received " + rounds);
        require(parts >= 0, "parts: expected at least 1, or 0 for as many as there are workers, received " + parts);
        require(localEpochs >= 0, "localEpochs: expected 0 or more, received " + localEpochs);
        require(sample > 0 && sample <= 1, "sample: expected a share above 0 and up to 1, received " + sample);
        require(
                ranges >= 1 && reducers >= 1,
                "ranges, reducers: expected at least 1, received " + ranges + ", " + reducers);
        require(
                !lbfgs || localEpochs == 0 && sample == 1,
                "lbfgs: expected gradients of all rows, without localEpochs and sample");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new TrainingException("mapReduce: " + message);
        }
    }

    /**
     * Trains a model that is built.
     *
     * @return the mean loss of each round
     */
    public List<Double> fit(MapReduceEngine engine, Model model, Optimizer optimizer, Loss loss) {
        return fit(engine, model, optimizer, loss, value -> {});
    }

    /** The same, told of the loss after each round. */
    public List<Double> fit(
            MapReduceEngine engine, Model model, Optimizer optimizer, Loss loss, DoubleConsumer watcher) {
        List<Double> losses = new ArrayList<>();
        try (RoundSequence sequence = new RoundSequence(this, model, optimizer, loss)) {
            boolean last = false;
            for (int round = 0; round < rounds && !last; round++) {
                RoundSequence.Result result = sequence.next(engine, round, optimizer.learningRate());
                losses.add(result.loss());
                watcher.accept(result.loss());
                last = result.isLast(); // no direction leads down any more
            }
        }
        return losses;
    }

    RoundMap map(Model model, Optimizer optimizer, Loss loss) {
        return new RoundMap(model, loss, optimizer, localEpochs, sample, seed, ranges);
    }

    boolean averages() {
        return localEpochs > 0;
    }

    boolean isLbfgs() {
        return lbfgs;
    }

    RangeShuffle shuffle() {
        return shuffle;
    }

    int reducers() {
        return reducers;
    }

    int roundsOfEpoch() {
        return rounds;
    }

    /** How many parts data is cut into where that was said, else as many as there are workers. */
    public int partsFor(int workers) {
        return parts == 0 ? workers : parts;
    }

    /** The same whose rounds are computed elsewhere, by the engine that is made for the data of a training. */
    public MapReduce on(Function<Dataset, MapReduceEngine> place) {
        return copy(c -> c.engines = place);
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        validate();
        Function<Dataset, MapReduceEngine> here =
                data -> new ThreadEngine(data, partsFor(team.threads()), team.threads());
        return new RoundReplica(this, engines == null ? here : engines, model, recipe, team, timing);
    }

    /** A round takes the gradient of all rows, not of a batch. */
    @Override
    public boolean exact() {
        return false;
    }

    @Override
    public String toString() {
        return "mapReduce()" + (rounds == 1 ? "" : ".rounds(" + rounds + ")")
                + (localEpochs == 0 ? "" : ".localEpochs(" + localEpochs + ")")
                + (sample == 1 ? "" : ".sample(" + sample + ")")
                + (lbfgs ? ".lbfgs()" : "")
                + (shuffle == RangeShuffle.SORT ? "" : ".shuffle(" + shuffle + ")");
    }
}
