package dev.tutti.optim;

import dev.tutti.tensor.FlatVector;
import dev.tutti.tensor.FusedUpdate;
import dev.tutti.tensor.FusedUpdate.AdamStep;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Range;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;
import java.util.Map;

/** Adam. */
public final class Adam extends Optimizer {
    private double beta1 = 0.9;
    private double beta2 = 0.999;
    private double epsilon = 1e-8;

    @Override
    public Update bind(Target target) {
        FlatVector vector = target.vector();
        Shape shape = Shape.of(target.range().length());
        Tensor mean = Tensor.zeros(shape, vector.type(), vector.device()).retain();
        Tensor square = Tensor.zeros(shape, vector.type(), vector.device()).retain();
        Tensor step = Tensor.zeros(Shape.scalar(), vector.type(), vector.device()).retain();
        return new Update() {
            @Override
            public void apply(double learningRate) {
                try (Scope scope = Scope.open();
                        NoGradients off = NoGradients.begin()) {
                    step.add_(1);
                    for (Range s : target.segments()) {
                        long at = s.from() - target.range().from();
                        FusedUpdate.adam(
                                vector.values(s),
                                vector.gradients(s),
                                mean.narrow(0, at, s.length()),
                                square.narrow(0, at, s.length()),
                                step,
                                new AdamStep(learningRate, beta1, beta2, epsilon, 0, false));
                    }
                }
            }

            @Override
            public Map<String, Tensor> state() {
                return Map.of("mean", mean, "square", square, "step", step);
            }

            @Override
            public void close() {
                mean.close();
                square.close();
                step.close();
            }
        };
    }
}
