package dev.tutti.strategy.averaging;

import dev.tutti.comm.Collectives;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Finds out, together with the others, how much each member's model counts. */
final class WeightAgreement {
    private final Weights weights;

    WeightAgreement(Weights weights) {
        this.weights = weights;
    }

    /** The weights of all members, by rank; they sum up to 1. */
    double[] weigh(Collectives collectives, RoundTally tally, Round round, Tensor values) {
        Weights.Needs needs = weights.needs();
        double distance = needs.distance() ? squaredDistance(collectives, tally, values) : 0;
        double labels = likeness(collectives, "labels", round.labels());
        double features = likeness(collectives, "features", round.features());
        boolean told = needs.distance() || needs.labels() || needs.features();
        double[][] all = told ? collectives.gather("local statistics", distance, labels, features) : null;
        List<Contribution> members = new ArrayList<>();
        for (int rank = 0; rank < tally.entries().size(); rank++) {
            RoundTally.Entry entry = tally.entries().get(rank);
            double[] local = told ? all[rank] : new double[] {0, 1, 1};
            double loss = isSound(entry) ? entry.validationLoss() : Double.NaN;
            members.add(new Contribution(entry.samples(), loss, local[0], local[1], local[2]));
        }
        return normalised(members);
    }

    private double[] normalised(List<Contribution> members) {
        double[] raw = weights.of(members);
        for (int i = 0; i < raw.length; i++) {
            raw[i] = members.get(i).samples() > 0 ? raw[i] : 0;
        }
        double sum = Arrays.stream(raw).sum();
        return sum > 0 && Double.isFinite(sum)
                ? Arrays.stream(raw).map(weight -> weight / sum).toArray()
                : normalised(members, new EqualWeights());
    }

    private static double[] normalised(List<Contribution> members, Weights fallback) {
        double[] raw = fallback.of(members);
        double sum = Math.max(1, Arrays.stream(raw).sum());
        return Arrays.stream(raw).map(weight -> weight / sum).toArray();
    }

    private static double likeness(Collectives collectives, String what, Distribution mine) {
        return mine == null ? 1 : mine.likeness(collectives.sum(what, mine.sums()));
    }

    /** From the mean of the models of those who had data and did not go astray. */
    private static double squaredDistance(Collectives collectives, RoundTally tally, Tensor values) {
        long sound = tally.entries().stream().filter(WeightAgreement::isSound).count();
        if (collectives.group().size() == 1 || sound == 0) {
            return 0;
        }
        boolean counts = isSound(tally.entries().get(collectives.group().rank()));
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor mean = counts ? values.mul(1.0 / sound) : Tensor.zeros(values.shape(), values.type());
            collectives.allReduce("mean of the models", mean);
            return mean.sub(values).square().sum().item();
        }
    }

    private static boolean isSound(RoundTally.Entry entry) {
        return entry.samples() > 0 && entry.sound() && Double.isFinite(entry.validationLoss());
    }
}
