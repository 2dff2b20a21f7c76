package dev.tutti.strategy.averaging;

import java.util.List;

/** Every member that had data counts the same. */
final class EqualWeights implements Weights {
    @Override
    public double[] of(List<Contribution> members) {
        return members.stream()
                .mapToDouble(member -> member.samples() > 0 ? 1 : 0)
                .toArray();
    }

    @Override
    public String toString() {
        return "plain()";
    }
}
