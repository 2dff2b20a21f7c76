package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Brings each feature or channel to mean 0 and deviation 1 over the batch, then to a mean and deviation it learns.
 *
 * <p>Takes {@code [features]}, {@code [channels, time]} or {@code [channels, height, width]}. While training it looks at the
 * batch and keeps running statistics; afterwards it uses those. So it does for the single row that may be one worker's share of a
 * batch, which has no variance. While its parameters are frozen it stands still: it uses the running statistics and leaves them as they
 * are.
 */
public final class BatchNorm extends FluentLayer<BatchNorm> {
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
    protected Shape build(Shape input, BuildContext build) {
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
    protected Tensor forward(Tensor x, ForwardContext pass) {
        boolean training = pass.training() && !pass.isFrozen();
        if (training && pass.batchSum() != null) {
            return shared(x, pass);
        }
        Tensor mean = pass.buffer("running_mean");
        boolean single = x.size() == mean.size();
        if (training && single && !pass.divided()) {
            throw tooFew(pass, mean.size());
        }
        return Functions.batchNorm(
                x,
                pass.parameter("weight"),
                pass.parameter("bias"),
                mean,
                pass.buffer("running_var"),
                training && !single,
                momentum,
                epsilon);
    }

    /** The same over the rows of all workers: sums instead of means, since they can be added up. */
    private Tensor shared(Tensor x, ForwardContext pass) {
        Tensor runningMean = pass.buffer("running_mean");
        long channels = runningMean.size();
        long[] axes = LongStream.range(0, x.rank()).filter(axis -> axis != 1).toArray();
        long[] perChannel = new long[x.rank()];
        Arrays.fill(perChannel, 1);
        perChannel[1] = channels;
        double count = x.size() / (double) channels;
        // Squares of what lies around zero lose little to rounding; all workers have the same running mean.
        Tensor shift = runningMean.copy();
        Tensor centred = x.sub(shift.view(perChannel));
        Tensor own = Tensor.concat(
                List.of(
                        centred.mean(axes).mul(count),
                        centred.square().mean(axes).mul(count),
                        Tensor.full(Shape.of(1), count, x.type())),
                0);
        Tensor all = Functions.sharedSum(own, pass.batchSum());
        Tensor total = all.narrow(0, 2 * channels, 1);
        Tensor mean = all.narrow(0, 0, channels).div(total);
        Tensor variance =
                all.narrow(0, channels, channels).div(total).sub(mean.square()).clamp(0, Float.MAX_VALUE);
        double rows = total.detach().item();
        if (rows <= 1) {
            throw tooFew(pass, channels);
        }
        try (NoGradients off = NoGradients.begin()) {
            runningMean.lerp_(mean.add(shift), momentum);
            pass.buffer("running_var").lerp_(variance.mul(rows / (rows - 1)), momentum);
        }
        Tensor scale = variance.add(epsilon).pow(-0.5).mul(pass.parameter("weight"));
        return centred.sub(mean.view(perChannel))
                .mul(scale.view(perChannel))
                .add(pass.parameter("bias").view(perChannel));
    }

    private static ShapeException tooFew(ForwardContext pass, long channels) {
        return new ShapeException("layer " + pass.path() + " has only one value for each of its " + channels
                + " channels, which has no variance: train with batches of at least 2");
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
