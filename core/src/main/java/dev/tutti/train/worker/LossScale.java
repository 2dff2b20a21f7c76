package dev.tutti.train.worker;

import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The factor that losses are multiplied by before the way back, so that gradients are not too small for fp16. It follows the gradients:
 * where one is not finite the step is skipped and the factor halved; after {@link #GROWTH_STEPS} steps without that it is doubled.
 * Factors are powers of two, so that multiplying and dividing by them changes no bit of what the format can tell.
 *
 * <p>Order of calls for each step: {@link #value} for its losses, then {@link #restore} once for its gradients. {@link #state} may be read
 * and written between steps: a restored run goes on to the same bits.
 */
public final class LossScale implements AutoCloseable {
    /** The factor of the first step, as the peers have it. */
    public static final double FIRST = 65536;

    /** Steps without an overflow after which the factor is doubled, as the peers have it. */
    public static final int GROWTH_STEPS = 2000;

    private static final double GREATEST = 1 << 24;
    private static final Logger LOG = LoggerFactory.getLogger(LossScale.class);

    private final Tensor scale;
    private final Tensor steps; // without an overflow since the factor was changed

    public LossScale() {
        try (Scope scope = Scope.open()) {
            scale = Tensor.of(new float[] {(float) FIRST}, 1).retain();
            steps = Tensor.of(new float[] {0}, 1).retain();
        }
    }

    /** What the losses of the step under way are multiplied by. */
    public double value() {
        return scale.item();
    }

    /**
     * Divides the gradients of a step by the factor, and chooses the factor of the next step.
     *
     * @return whether the gradients are finite; if not the step is to be skipped
     * @throws TrainingException if they are not finite even though the factor is below 1: then it is not the factor
     */
    public boolean restore(Model model, long step) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            double factor = value();
            Tensor gradients = model.vector().gradients();
            gradients.mul_(1 / factor);
            model.rowGradients().scale(1 / factor);
            boolean finite = Double.isFinite(gradients.norm().item())
                    && Double.isFinite(model.rowGradients().squaredNorm());
            if (finite) {
                grow(factor);
            } else {
                shrink(model, step, factor);
            }
            return finite;
        }
    }

    private void grow(double factor) {
        double since = steps.item() + 1;
        if (since >= GROWTH_STEPS) {
            scale.fill_(Math.min(GREATEST, factor * 2));
            since = 0;
        }
        steps.fill_(since);
    }

    private void shrink(Model model, long step, double factor) {
        if (factor < 1) {
            throw new TrainingException("the gradient of " + firstNotFinite(model) + " is not finite in step " + step
                    + ", though losses are multiplied by only " + factor
                    + ": try a smaller learning rate or clipping, look for NaN in the data, or use bf16");
        }
        LOG.debug(
                "step {} is skipped: a gradient of {} is not finite in fp16 with losses times {}",
                step,
                firstNotFinite(model),
                factor);
        scale.fill_(factor / 2);
        steps.fill_(0);
    }

    private static String firstNotFinite(Model model) {
        return model.parameters().stream()
                .filter(p -> !Double.isFinite(
                        model.vector().gradients(p.range()).norm().item()))
                .map(Parameter::name)
                .findFirst()
                .orElse("a row of a table");
    }

    /** The factor, and how many steps it has held. */
    public Map<String, Tensor> state() {
        return Map.of("lossScale", scale, "lossScaleSteps", steps);
    }

    @Override
    public void close() {
        scale.close();
        steps.close();
    }
}
