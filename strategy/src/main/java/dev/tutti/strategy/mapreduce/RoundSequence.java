package dev.tutti.strategy.mapreduce;

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
import java.util.List;
import java.util.Map;

/**
 * Rounds that move the parameters of a model, one after the other, with what the optimizer or L-BFGS remembers between them.
 *
 * <p>Order of calls: {@link #next} any number of times, {@link #forget} where parameters were changed by others, {@link #close}.
 */
final class RoundSequence implements AutoCloseable {
    private final MapReduce settings;
    private final RoundMap map;
    private final Model model;
    private final Optimizer optimizer;
    private final Update update; // null where parameters are averaged, or moved by L-BFGS
    private Lbfgs method = new Lbfgs();
    private Lbfgs.Point point; // where L-BFGS is; null where that has to be asked for

    RoundSequence(MapReduce settings, Model model, Optimizer optimizer, Loss loss) {
        this.settings = settings;
        this.model = model;
        this.optimizer = optimizer;
        map = settings.map(model, optimizer, loss);
        update = settings.averages() || settings.isLbfgs() ? null : optimizer.bind(LocalReplica.target(model));
    }

    /**
     * What came of a round.
     *
     * @param loss the mean over the rows
     * @param rows how many rows it is over
     * @param isLast whether no further round can make the loss smaller
     */
    record Result(double loss, long rows, boolean isLast) {}

    /**
     * Moves the parameters by one round; with L-BFGS by one iteration, each trial of which is a round of the engine.
     *
     * @param round what samples and randomness follow from
     */
    Result next(MapReduceEngine engine, int round, double learningRate) {
        return settings.isLbfgs() ? byLbfgs(engine) : byUpdate(engine, round, learningRate);
    }

    private Result byUpdate(MapReduceEngine engine, int round, double learningRate) {
        Sum sum = sum(engine, map.at(learningRate), values(), round);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor mean = Tensor.of(floats(sum.mean), sum.mean.length);
            if (update == null) {
                model.vector().values().copy_(mean);
            } else {
                model.vector().gradients().copy_(mean);
                Clipping clipping = optimizer.clipping();
                if (clipping.isOn()) {
                    clipping.apply(model.vector().gradients());
                }
            }
        }
        if (update != null) {
            update.apply(learningRate);
        }
        return new Result(sum.loss, sum.rows, false);
    }

    private Result byLbfgs(MapReduceEngine engine) {
        long[] rows = {0};
        Lbfgs.Function function = at -> {
            Sum sum = sum(engine, map, floats(at), 0); // one function: the same randomness at every point
            rows[0] = sum.rows;
            return new Lbfgs.Point(at, sum.loss, sum.mean);
        };
        if (point == null) {
            point = function.at(doubles(values()));
        }
        Lbfgs.Point before = point;
        point = method.step(point, function);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            model.vector().values().copy_(Tensor.of(floats(point.at()), point.at().length));
        }
        return new Result(point.value(), rows[0], point.equals(before));
    }

    /** The parameters are others than those of the last round: what L-BFGS knows of its path does not fit them. */
    void forget() {
        method = new Lbfgs();
        point = null;
    }

    /** What the optimizer remembers. */
    Map<String, Tensor> state() {
        return update == null ? Map.of() : update.state();
    }

    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Sum(double[] mean, double loss, long rows) {}

    private Sum sum(MapReduceEngine engine, RoundMap mapped, float[] parameters, int round) {
        List<RangePartial> sums = engine.round(mapped, parameters, round, settings.shuffle(), settings.reducers());
        int ranges = mapped.ranges();
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
        double rows = sums.get(0).weight();
        return new Sum(mean, sums.get(0).loss() / rows, Math.round(rows));
    }

    private float[] values() {
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

    @Override
    public void close() {
        if (update != null) {
            update.close();
        }
    }
}
