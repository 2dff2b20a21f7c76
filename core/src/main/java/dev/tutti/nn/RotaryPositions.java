package dev.tutti.nn;

import dev.tutti.tensor.Tensor;
import java.util.List;

/** Turns queries and keys by angles that grow with their position, so that their products depend on the distance alone. */
final class RotaryPositions {
    /** The usual base. */
    static final double BASE = 10_000;

    private RotaryPositions() {}

    /** @param x {@code [batch, heads, time, width of a head]}, of even width */
    static Tensor turn(Tensor x, double base) {
        return turn(x, base, 0);
    }

    /** @param from the position of the first step */
    static Tensor turn(Tensor x, double base, long from) {
        int steps = Math.toIntExact(x.dim(2));
        int half = Math.toIntExact(x.dim(3) / 2);
        double[] cosines = new double[steps * half];
        double[] sines = new double[steps * half];
        for (int step = 0; step < steps; step++) {
            for (int i = 0; i < half; i++) {
                double angle = (from + step) / Math.pow(base, (double) i / half);
                cosines[step * half + i] = Math.cos(angle);
                sines[step * half + i] = Math.sin(angle);
            }
        }
        Tensor cos = Tensor.of(cosines, steps, half).to(x.type());
        Tensor sin = Tensor.of(sines, steps, half).to(x.type());
        Tensor first = x.narrow(3, 0, half);
        Tensor second = x.narrow(3, half, half);
        return Tensor.concat(
                List.of(first.mul(cos).sub(second.mul(sin)), second.mul(cos).add(first.mul(sin))), 3);
    }
}
