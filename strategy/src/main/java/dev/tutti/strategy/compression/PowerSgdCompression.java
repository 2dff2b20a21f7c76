package dev.tutti.strategy.compression;

import dev.tutti.TuttiException;
import dev.tutti.nn.Model;

/** Matrices of gradients travel as products of two narrow ones. */
final class PowerSgdCompression implements Compression {
    private int rank = 2;

    private PowerSgdCompression() {}

    PowerSgdCompression(int rank) {
        this.rank = rank;
        validate();
    }

    @Override
    public void validate() {
        if (rank < 1) {
            throw new TuttiException("powerSgd: the rank must be at least 1, received " + rank);
        }
    }

    @Override
    public GradientSum bind(Model model) {
        return new PowerSgdSum(model, rank);
    }

    @Override
    public String toString() {
        return "powerSgd(" + rank + ")";
    }
}
