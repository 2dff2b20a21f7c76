package dev.tutti.strategy.compression;

import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** The largest gradients of a range with their places; what is not sent is added to the next ones. */
final class LargestEncoder implements GradientEncoder {
    private final double fraction;
    private Tensor owed; // null before the first

    LargestEncoder(double fraction) {
        this.fraction = fraction;
    }

    @Override
    public List<Tensor> encode(Tensor gradients) {
        try (NoGradients off = NoGradients.begin()) {
            if (owed == null) {
                owed = Tensor.zeros(gradients.shape(), gradients.type()).retain();
            }
            owed.add_(gradients);
            long count = Math.max(1, Math.round(fraction * owed.size()));
            Tensor places = owed.abs().largest(Math.min(count, owed.size()));
            Tensor values = owed.at(places);
            owed.zeroAt_(places);
            return List.of(places, values);
        }
    }

    @Override
    public boolean remembers() {
        return true;
    }

    @Override
    public void close() {
        if (owed != null) {
            owed.close();
            owed = null;
        }
    }
}
