package dev.tutti.optim;

import dev.tutti.array.Range;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FusedUpdate;
import dev.tutti.tensor.vector.FusedUpdate.AdamSettings;
import java.util.List;

/**
 * The step that Adam and AdamW share: moving means of gradients and of their squares, corrected for their start at
 * zero.
 */
final class AdamUpdate extends FusedVectorUpdate {
    private final Decay decay;
    private final double beta1;
    private final double beta2;
    private final double epsilon;
    private final Tensor mean = state("mean");
    private final Tensor square = state("square");
    private final Tensor step = counter("step");

    AdamUpdate(Target target, Decay decay, double beta1, double beta2, double epsilon) {
        super(target, decay);
        this.decay = decay;
        this.beta1 = beta1;
        this.beta2 = beta2;
        this.epsilon = epsilon;
    }

    @Override
    FusedUpdate prepare(List<Range> blocks, Tensor values, Tensor gradients, double weightDecay) {
        var settings = new AdamSettings(beta1, beta2, epsilon, weightDecay, decay.decoupled());
        return FusedUpdate.adam(blocks, values, gradients, mean, square, step, settings);
    }
}
