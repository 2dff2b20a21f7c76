package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/**
 * Brings each feature or channel to mean 0 and deviation 1 over the batch, then to a mean and deviation it learns.
 *
 * <p>Takes {@code [features]}, {@code [channels, time]} or {@code [channels, height, width]}. While training it looks at the
 * batch and keeps running statistics; afterwards it uses those.
 */
public final class BatchNorm extends Layer {
    private double momentum = 0.1;
    private double epsilon = 1e-5;

    BatchNorm() {}

    /** How far the running statistics move towards those of each batch. */
    public BatchNorm momentum(double share) {
        return copy(c -> c.momentum = share);
    }

    /** What is added to the variance, so that nothing is divided by zero. */
    public BatchNorm epsilon(double value) {
        return copy(c -> c.epsilon = value);
    }

    @Override
    protected Shape build(Shape input, Build build) {
        if (input.rank() < 1 || input.rank() > 3 || input.dim(0) == Shape.ANY) {
            throw build.expected("[features], [channels, time] or [channels, height, width]", input);
        }
        build.require(momentum > 0 && momentum <= 1, "needs a momentum above 0 and up to 1, received " + momentum);
        build.require(epsilon > 0, "needs an epsilon above 0, received " + epsilon);
        Shape channels = input.first(1);
        build.parameter("weight", channels, Initializer.ONES);
        build.parameter("bias", channels, Initializer.ZEROS);
        build.buffer("running_mean", channels, Initializer.ZEROS);
        build.buffer("running_var", channels, Initializer.ONES);
        return input;
    }

    @Override
    protected Tensor forward(Tensor x, Pass pass) {
        Tensor mean = pass.buffer("running_mean");
        if (pass.training() && x.size() == mean.size()) {
            throw new ShapeException("layer " + pass.path() + " has only one value for each of its " + mean.size()
                    + " channels, which has no variance: train with batches of at least 2");
        }
        return Functions.batchNorm(
                x,
                pass.parameter("weight"),
                pass.parameter("bias"),
                mean,
                pass.buffer("running_var"),
                pass.training(),
                momentum,
                epsilon);
    }

    @Override
    protected boolean isOutputFresh() {
        return true;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let("torch.batch_norm(" + in.get(0) + ", " + s.self("weight") + ", " + s.self("bias") + ", "
                + s.self("running_mean") + ", " + s.self("running_var") + ", self.training, " + momentum + ", "
                + epsilon
                + ", False)");
    }
}
