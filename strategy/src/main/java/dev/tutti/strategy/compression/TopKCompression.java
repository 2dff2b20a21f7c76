package dev.tutti.strategy.compression;

import dev.tutti.TuttiException;
import dev.tutti.nn.Model;

/** Of the gradients only the largest travel, with their places. */
final class TopKCompression implements Compression {
    private double fraction = 0.01;

    private TopKCompression() {}

    TopKCompression(double fraction) {
        this.fraction = fraction;
        validate();
    }

    @Override
    public void validate() {
        if (!(fraction > 0 && fraction <= 1)) {
            throw new TuttiException(
                    "topK: the fraction of gradients that are sent must be above 0 and up to 1, received " + fraction);
        }
    }

    @Override
    public GradientSum bind(Model model) {
        return new TopKSum(model, fraction);
    }

    @Override
    public GradientEncoder encoder() {
        return new LargestEncoder(fraction);
    }

    @Override
    public String toString() {
        return "topK(" + fraction + ")";
    }
}
