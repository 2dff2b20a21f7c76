package dev.tutti.strategy.mapreduce;

import dev.tutti.json.Definition;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Model;
import dev.tutti.optim.Clipping;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Update;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import dev.tutti.train.replica.LocalReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;

/**
 * Training in rounds of map, shuffle and reduce: {@code MapReduce.rounds(50).lbfgs().fit(engine, model, optimizer, loss)}. In each round
 * the parameters go to all parts of the data, and gradients, or the parameters that parts have learned by themselves, come back summed.
 *
 * <p>Each round moves all parameters through the engine twice, so all-reduce is far faster where members can stay; this is for clusters
 * that run nothing but rounds, and for L-BFGS, which needs the gradient of all rows.
 */
public final class MapReduce extends Definition {
    private int rounds;
    private int localEpochs;
    private double sample = 1;
    private boolean lbfgs;
    private RangeShuffle shuffle = RangeShuffle.SORT;
    private int ranges = 8;
    private int reducers = 2;
    private long seed;

    private MapReduce() {}

    /** So many rounds, each with the gradient of all rows. */
    public static MapReduce rounds(int count) {
        return new MapReduce().copy((MapReduce c) -> c.rounds = count);
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
        RoundMap map = new RoundMap(model, loss, optimizer, localEpochs, sample, seed, ranges);
        List<Double> losses = new ArrayList<>();
        DoubleConsumer told = value -> {
            losses.add(value);
            watcher.accept(value);
        };
        if (lbfgs) {
            byLbfgs(engine, map, model, told);
        } else {
            byUpdates(engine, map, model, optimizer, told);
        }
        return losses;
    }

    private void byUpdates(
            MapReduceEngine engine, RoundMap map, Model model, Optimizer optimizer, DoubleConsumer told) {
        try (Update update = optimizer.bind(LocalReplica.target(model))) {
            for (int round = 0; round < rounds; round++) {
                Sum sum = round(engine, map, values(model), round);
                try (Scope scope = Scope.open();
                        NoGradients off = NoGradients.begin()) {
                    Tensor mean = Tensor.of(floats(sum.mean), sum.mean.length);
                    if (localEpochs > 0) {
                        model.vector().values().copy_(mean);
                    } else {
                        model.vector().gradients().copy_(mean);
                        Clipping clipping = optimizer.clipping();
                        if (clipping.isOn()) {
                            clipping.apply(model.vector().gradients());
                        }
                    }
                }
                if (localEpochs == 0) {
                    update.apply(optimizer.learningRate());
                }
                told.accept(sum.loss);
            }
        }
    }

    private void byLbfgs(MapReduceEngine engine, RoundMap map, Model model, DoubleConsumer told) {
        int[] round = {0};
        Lbfgs.Function function = at -> {
            Sum sum = round(engine, map, floats(at), round[0]++);
            return new Lbfgs.Point(at, sum.loss, sum.mean);
        };
        Lbfgs method = new Lbfgs();
        Lbfgs.Point point = function.at(doubles(values(model)));
        for (int i = 0; i < rounds; i++) {
            Lbfgs.Point next = method.step(point, function);
            told.accept(next.value());
            if (next.equals(point)) {
                break; // no direction leads down any more
            }
            point = next;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            model.vector().values().copy_(Tensor.of(floats(point.at()), point.at().length));
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Sum(double[] mean, double loss) {}

    private Sum round(MapReduceEngine engine, RoundMap map, float[] parameters, int round) {
        List<RangePartial> sums = engine.round(map, parameters, round, shuffle, reducers);
        if (sums.size() != ranges) {
            throw new TrainingException("mapReduce: a round gave sums for " + sums.size() + " of " + ranges
                    + " ranges: the data is empty, or no batch was in the sample");
        }
        double[] mean = new double[parameters.length];
        for (RangePartial sum : sums) {
            int from = RoundMap.begin(sum.key(), parameters.length, ranges);
            for (int i = 0; i < sum.values().length; i++) {
                mean[from + i] = sum.values()[i] / sum.weight();
            }
        }
        return new Sum(mean, sums.get(0).loss() / sums.get(0).weight());
    }

    private static float[] values(Model model) {
        try (Scope scope = Scope.open()) {
            return model.vector().values().toArray().floats();
        }
    }

    private static float[] floats(double[] values) {
        float[] narrow = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            narrow[i] = (float) values[i];
        }
        return narrow;
    }

    private static double[] doubles(float[] values) {
        double[] wide = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            wide[i] = values[i];
        }
        return wide;
    }
}
