package dev.tutti.strategy.averaging;

import java.util.List;

/** Every member counts by its samples. */
final class SampleWeights implements Weights {
    @Override
    public double[] of(List<Contribution> members) {
        return members.stream().mapToDouble(Contribution::samples).toArray();
    }

    @Override
    public String toString() {
        return "bySamples()";
    }
}
