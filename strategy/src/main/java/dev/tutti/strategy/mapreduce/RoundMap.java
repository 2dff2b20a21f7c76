package dev.tutti.strategy.mapreduce;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.data.Batch;
import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.RecordedPass;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Update;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import dev.tutti.train.replica.LocalReplica;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The map of a round: from a part of the data and parameters to what the part says about each range of them. It is the gradient of
 * the loss, or, with local epochs, the parameters that the part alone leads to.
 */
public final class RoundMap implements Serializable {
    private static final long serialVersionUID = 1;

    private final String layer;
    private final String inputs;
    private final String loss;
    private final String optimizer;
    private final double rate;
    private final int localEpochs;
    private final double sample;
    private final long seed;
    private final int ranges;
    private final HashMap<String, String> definitions = new HashMap<>(); // names of the user's classes in files

    /**
     * @param localEpochs 0 for gradients
     * @param sample the share of batches that a gradient is of
     * @param ranges how many ranges the parameters are cut into
     */
    RoundMap(Model model, Loss loss, Optimizer optimizer, int localEpochs, double sample, long seed, int ranges) {
        this.layer = Json.write(model.definition());
        this.inputs = Json.write(new Inputs(model.inputs()));
        this.loss = Json.write(loss);
        this.optimizer = Json.write(optimizer);
        this.rate = optimizer.learningRate();
        this.localEpochs = localEpochs;
        this.sample = sample;
        this.seed = seed;
        this.ranges = ranges;
        Json.registered().forEach((type, name) -> definitions.put(type.getName(), name));
    }

    private RoundMap(RoundMap other, double rate) {
        this.layer = other.layer;
        this.inputs = other.inputs;
        this.loss = other.loss;
        this.optimizer = other.optimizer;
        this.rate = rate;
        this.localEpochs = other.localEpochs;
        this.sample = other.sample;
        this.seed = other.seed;
        this.ranges = other.ranges;
        this.definitions.putAll(other.definitions);
    }

    /** The same with another learning rate of local epochs. */
    RoundMap at(double learningRate) {
        return new RoundMap(this, learningRate);
    }

    private record Inputs(List<Input> inputs) {}

    /** How many ranges the parameters are cut into. */
    public int ranges() {
        return ranges;
    }

    /**
     * Maps one part.
     *
     * @param batches the part's rows, from their beginning at each call
     * @param parameters as they were at the end of the round before
     * @param round what the sample of batches follows from
     */
    public List<RangePartial> map(Supplier<Iterator<Batch>> batches, float[] parameters, int round, int part) {
        register();
        Loss compute = Json.read(loss, Loss.class, "the loss");
        try (Model model = Model.of(
                Json.read(layer, Layer.class, "the model"),
                Model.Options.DEFAULT,
                Json.read(inputs, Inputs.class, "the inputs").inputs)) {
            write(model, parameters);
            return localEpochs > 0
                    ? learned(model, compute, batches, round, part)
                    : gradient(model, compute, batches.get(), round, part);
        }
    }

    /** Makes the user's classes known where the map runs. */
    private void register() {
        Set<String> known =
                Json.registered().keySet().stream().map(Class::getName).collect(Collectors.toSet());
        definitions.forEach((type, name) -> {
            if (known.contains(type)) {
                return;
            }
            try {
                Json.register(Class.forName(type, false, Thread.currentThread().getContextClassLoader()), name);
            } catch (ClassNotFoundException | LinkageError e) {
                throw new TrainingException(
                        "the class " + type + ", registered where the training was started, is not on the class path"
                                + " where its rounds run: give Spark its jar with --jars or spark.jars",
                        e);
            }
        });
    }

    private static void write(Model model, float[] parameters) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            model.vector().values().copy_(Tensor.of(parameters, parameters.length));
        }
    }

    private List<RangePartial> gradient(Model model, Loss compute, Iterator<Batch> batches, int round, int part) {
        SplittableRandom random = new SplittableRandom(seed * 31 + round * 1_000_003L + part);
        long rows = 0;
        double sum = 0;
        boolean more = false;
        for (int number = 0; batches.hasNext(); number++) {
            Batch batch = batches.next();
            if (sample < 1 && random.nextDouble() >= sample) {
                continue;
            }
            model.restartRandomness(seed, round, number, part); // dropout draws the same on every engine
            sum += backward(model, compute, batch, more) * batch.size();
            rows += batch.size();
            more = true;
        }
        return rows == 0 ? List.of() : cut(copy(model.vector().gradients()), 1, rows, sum, part);
    }

    /** Adds the gradient of a batch, as a sum over its rows; returns its mean loss. */
    private static double backward(Model model, Loss compute, Batch batch, boolean more) {
        compute.check(batch.labels(), model.outputs());
        model.training(true);
        try (Scope scope = Scope.open();
                RecordedPass pass = model.record(tensors(batch.features(), batch, model))) {
            Tensor value = compute.compute(pass.outputs(), tensors(batch.labels(), batch, model));
            double mean = value.item();
            if (Double.isNaN(mean)) {
                throw new TrainingException("the loss is not a number: choose a smaller learning rate");
            }
            pass.backward(value.mul(batch.size()), more);
            return mean;
        }
    }

    private static List<Tensor> tensors(List<NdArray> arrays, Batch batch, Model model) {
        return LocalReplica.tensors(arrays, new Range(0, batch.size()), model);
    }

    private List<RangePartial> learned(
            Model model, Loss compute, Supplier<Iterator<Batch>> batches, int round, int part) {
        long rows = 0;
        double sum = 0;
        try (Update update =
                Json.read(optimizer, Optimizer.class, "the optimizer").bind(LocalReplica.target(model))) {
            for (int epoch = 0; epoch < localEpochs; epoch++) {
                rows = 0;
                sum = 0;
                Iterator<Batch> all = batches.get();
                for (int number = 0; all.hasNext(); number++) {
                    Batch batch = all.next();
                    model.restartRandomness(seed, round, epoch, number, part);
                    sum += backward(model, compute, batch, false) * batch.size();
                    rows += batch.size();
                    try (Scope scope = Scope.open();
                            NoGradients off = NoGradients.begin()) {
                        model.vector().gradients().mul_(1.0 / batch.size());
                    }
                    update.apply(rate);
                }
            }
        }
        return rows == 0 ? List.of() : cut(copy(model.vector().values()), rows, rows, sum, part);
    }

    private static float[] copy(Tensor vector) {
        try (Scope scope = Scope.open()) {
            return vector.toArray().floats();
        }
    }

    private List<RangePartial> cut(float[] vector, double factor, long rows, double loss, int part) {
        List<RangePartial> partials = new ArrayList<>();
        for (int key = 0; key < ranges; key++) {
            int from = begin(key, vector.length, ranges);
            double[] values = new double[begin(key + 1, vector.length, ranges) - from];
            for (int i = 0; i < values.length; i++) {
                values[i] = vector[from + i] * factor;
            }
            partials.add(new RangePartial(key, part, values, rows, key == 0 ? loss : 0));
        }
        return partials;
    }

    static int begin(int key, int length, int ranges) {
        return (int) (key * (long) length / ranges);
    }
}
