package dev.tutti.plan.profile;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.RecordedPass;
import dev.tutti.plan.LayerProfile;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Times the forward and the backward pass of each outermost layer, built one at a time. */
final class LayerMeasurement {
    private static final int ROUNDS = 4;

    /** For axes whose length is not known before there is data. */
    private static final long UNKNOWN_LENGTH = 16;

    private LayerMeasurement() {}

    /** @param rows of the batch of one worker */
    static List<LayerProfile> measure(ModelPlan whole, int rows) {
        Engine.useThreads(1); // a worker has one core
        int count = whole.layers().size();
        double[][] seconds = new double[count][];
        double all = 0;
        for (int i = 0; i < count; i++) {
            try (Model layer = whole.part(new Range(i, 1)).build()) {
                layer.training(true);
                layer.divided(true);
                seconds[i] = measure(layer, rows);
                all += seconds[i][0] + seconds[i][1];
            }
        }
        List<LayerProfile> layers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ModelPlan part = whole.part(new Range(i, 1));
            layers.add(new LayerProfile(
                    whole.layers().get(i),
                    part.parameters().stream()
                            .mapToLong(each -> each.shape().size())
                            .sum(),
                    seconds[i][0] / all,
                    seconds[i][1] / all,
                    part.outputs().stream()
                            .mapToLong(shape ->
                                    known(shape).size() * whole.options().type().bytes())
                            .sum()));
        }
        return layers;
    }

    private static double[] measure(Model layer, int rows) {
        double forward = Double.POSITIVE_INFINITY;
        double backward = Double.POSITIVE_INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            try (Scope scope = Scope.open()) {
                List<Tensor> inputs = new ArrayList<>();
                for (Input input : layer.inputs()) {
                    inputs.add(Tensor.zeros(known(input.shape()).prepend(rows), input.type()));
                }
                boolean learns = layer.vector().size() > 0
                        || layer.inputs().stream()
                                .anyMatch(input -> input.type().isFloating());
                long began = System.nanoTime();
                try (RecordedPass pass = layer.recordWithInputGradients(inputs)) {
                    long middle = System.nanoTime();
                    forward = Math.min(forward, (middle - began) / 1e9);
                    if (learns) {
                        pass.backward(
                                pass.outputs().stream()
                                        .map(out -> Tensor.full(out.shape(), 1, out.type()))
                                        .toList(),
                                false);
                    }
                    backward = Math.min(backward, (System.nanoTime() - middle) / 1e9);
                }
            }
        }
        return new double[] {forward, backward};
    }

    private static Shape known(Shape shape) {
        Shape known = shape;
        for (int i = 0; i < shape.rank(); i++) {
            known = shape.dim(i) == Shape.ANY ? known.with(i, UNKNOWN_LENGTH) : known;
        }
        return known;
    }
}
