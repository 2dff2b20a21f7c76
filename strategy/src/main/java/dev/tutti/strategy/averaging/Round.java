package dev.tutti.strategy.averaging;

import dev.tutti.array.Shape;
import dev.tutti.data.Batch;
import dev.tutti.data.SampleSpec;
import dev.tutti.train.replica.StepResult;
import java.util.ArrayList;
import java.util.List;

/** What this member has done and seen since the last agreement. */
final class Round {
    private final Weights.Needs needs;
    private final Distribution labels;
    private final Distribution features;
    private final List<Loss> losses = new ArrayList<>();
    private long samples;
    private double lossSum;
    private int steps;

    /** The loss of a batch before it was learned from. */
    private record Loss(double mean, int size) {}

    /** @param spec the shapes and types of rows; null where they are not needed */
    Round(Weights.Needs needs, SampleSpec spec, Shape output) {
        this.needs = needs;
        labels = needs.labels() && !spec.labels().isEmpty()
                ? Distribution.ofLabels(spec.labels().get(0), output.rank() == 0 ? 1 : output.dim(-1))
                : null;
        features = needs.features() ? Distribution.ofNumbers(spec.feature()) : null;
    }

    void add(Batch batch, StepResult result) {
        samples += result.size();
        lossSum += result.loss() * result.size();
        losses.add(new Loss(result.loss(), result.size()));
        if (labels != null) {
            labels.add(batch.label());
        }
        if (features != null) {
            features.add(batch.feature());
        }
    }

    void stepDone() {
        steps++;
    }

    long samples() {
        return samples;
    }

    double lossSum() {
        return lossSum;
    }

    int steps() {
        return steps;
    }

    /** The mean loss on the last part of the round, at least its last batch; 0 without any. */
    double validationLoss() {
        int part = Math.max(1, (int) Math.ceil(losses.size() * needs.validation()));
        double sum = 0;
        long count = 0;
        for (Loss loss : losses.subList(Math.max(0, losses.size() - part), losses.size())) {
            sum += loss.mean * loss.size;
            count += loss.size;
        }
        return count == 0 ? 0 : sum / count;
    }

    /** May be null. */
    Distribution labels() {
        return labels;
    }

    /** May be null. */
    Distribution features() {
        return features;
    }

    void forget() {
        losses.clear();
        samples = 0;
        lossSum = 0;
        steps = 0;
        if (labels != null) {
            labels.clear();
        }
        if (features != null) {
            features.clear();
        }
    }
}
