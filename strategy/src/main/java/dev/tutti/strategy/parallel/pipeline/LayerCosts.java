package dev.tutti.strategy.parallel.pipeline;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.RecordedPass;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** How long each layer of a model takes for a pass forward and backward, or forward alone where it is for predictions: a short profile of the real layers, one at a time in memory. */
public final class LayerCosts {
    private static final int ROUNDS = 3;

    /** For axes whose length is not known before there is data. */
    private static final long UNKNOWN_LENGTH = 16;

    private LayerCosts() {}

    /**
     * Measures all outermost layers.
     *
     * @param rows of the batch
     * @return seconds
     */
    public static double[] measure(ModelPlan whole, int rows) {
        int layers = whole.layers().size();
        double[] seconds = new double[layers];
        for (int i = 0; i < layers; i++) {
            try (Model layer = whole.part(new Range(i, 1)).build()) {
                layer.training(!layer.options().inference());
                layer.divided(true);
                seconds[i] = measure(layer, rows);
            }
        }
        return seconds;
    }

    /** Parameters of each outermost layer, and 1: what cuts go by where nothing is measured. */
    public static double[] parameters(ModelPlan whole) {
        int layers = whole.layers().size();
        double[] counts = new double[layers];
        for (int i = 0; i < layers; i++) {
            counts[i] = 1;
            for (var p : whole.part(new Range(i, 1)).parameters()) {
                counts[i] += p.shape().size();
            }
        }
        return counts;
    }

    private static double measure(Model layer, int rows) {
        double best = Double.POSITIVE_INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            try (Scope scope = Scope.open()) {
                List<Tensor> inputs = new ArrayList<>();
                for (Input input : layer.inputs()) {
                    inputs.add(Tensor.zeros(known(input.shape()).prepend(rows), input.type()));
                }
                long began = System.nanoTime();
                run(layer, inputs);
                best = Math.min(best, (System.nanoTime() - began) / 1e9);
            }
        }
        return best;
    }

    private static void run(Model layer, List<Tensor> inputs) {
        if (layer.options().inference()) { // which goes forward alone
            try (NoGradients off = NoGradients.begin()) {
                layer.forward(inputs);
            }
            return;
        }
        try (RecordedPass pass = layer.recordWithInputGradients(inputs)) {
            List<Tensor> gradients = pass.outputs().stream()
                    .map(out -> Tensor.full(out.shape(), 1, out.type()))
                    .toList();
            boolean learns = layer.vector().size() > 0
                    || layer.inputs().stream().anyMatch(input -> input.type().isFloating());
            if (learns) {
                pass.backward(gradients, false);
            }
        }
    }

    private static Shape known(Shape shape) {
        Shape known = shape;
        for (int i = 0; i < shape.rank(); i++) {
            known = shape.dim(i) == Shape.ANY ? known.with(i, UNKNOWN_LENGTH) : known;
        }
        return known;
    }
}
