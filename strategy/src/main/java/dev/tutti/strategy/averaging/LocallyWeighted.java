package dev.tutti.strategy.averaging;

import dev.tutti.train.TrainingException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Weights from local statistics: a member counts more the more samples it learned from, the better its model is, the nearer it is
 * to the others, and the more its data is like that of all. For member {@code i}, before all are divided by their sum:
 *
 * <pre>
 * w_i = n_i * exp(-a (l_i - min l)) * exp(-b d_i^2 / mean d^2) * y_i * x_i
 * </pre>
 *
 * <ul>
 *   <li>{@code n_i}: its samples of the round.
 *   <li>{@code l_i}: the mean loss on its own validation part: the last tenth of its batches of the round, each measured before it
 *       is learned from, so that the model has not seen it in this epoch and no sample is lost for learning.
 *   <li>{@code d_i}: the distance between its parameters and the mean of all members' parameters; {@code mean d^2} is the mean of
 *       the squares over the members.
 *   <li>{@code y_i}: how much its labels are like all labels of the round. For classes {@code sum over c of min(p_i(c), p(c))}, the
 *       part that its distribution {@code p_i} has in common with that of all, {@code p}. For numbers {@code exp(-|m_i - m|^2 /
 *       v)} with the mean {@code m_i} of its own, the mean {@code m} of all, and the variance {@code v} of all (the mean squared
 *       distance to {@code m}).
 *   <li>{@code x_i}: the same for the first feature, with the formula for numbers; off unless asked for.
 * </ul>
 *
 * <p>Minimum and means are over the members that had data. A factor that is switched off is 1. A member whose loss or model is not
 * finite counts nothing; when that is so for all of them, they count by samples.
 */
public final class LocallyWeighted implements Weights {
    private boolean samples = true;
    private double loss = 1;
    private double distance = 1;
    private boolean labels = true;
    private boolean features;
    private double validation = 0.1;

    LocallyWeighted() {}

    private LocallyWeighted(LocallyWeighted other) {
        samples = other.samples;
        loss = other.loss;
        distance = other.distance;
        labels = other.labels;
        features = other.features;
        validation = other.validation;
    }

    /** Whether members count by their samples; true by default. */
    public LocallyWeighted samples(boolean on) {
        LocallyWeighted copy = new LocallyWeighted(this);
        copy.samples = on;
        return copy.checked();
    }

    /** How steeply the weight falls with the loss, {@code a} of the formula: 1 by default, 0 switches it off. */
    public LocallyWeighted loss(double steepness) {
        LocallyWeighted copy = new LocallyWeighted(this);
        copy.loss = steepness;
        return copy.checked();
    }

    /** How steeply it falls with the distance, {@code b} of the formula: 1 by default; 0 switches it off, which halves the traffic. */
    public LocallyWeighted distance(double steepness) {
        LocallyWeighted copy = new LocallyWeighted(this);
        copy.distance = steepness;
        return copy.checked();
    }

    /** Whether the likeness of labels counts; true by default. */
    public LocallyWeighted labels(boolean on) {
        LocallyWeighted copy = new LocallyWeighted(this);
        copy.labels = on;
        return copy.checked();
    }

    /** Whether the likeness of features counts; false by default. */
    public LocallyWeighted features(boolean on) {
        LocallyWeighted copy = new LocallyWeighted(this);
        copy.features = on;
        return copy.checked();
    }

    /** The part of a round's batches, at its end, on which the loss is measured: 0.1 by default, at least one batch. */
    public LocallyWeighted validation(double part) {
        LocallyWeighted copy = new LocallyWeighted(this);
        copy.validation = part;
        return copy.checked();
    }

    private LocallyWeighted checked() {
        validate();
        return this;
    }

    @Override
    public void validate() {
        steepness("loss", loss);
        steepness("distance", distance);
        if (!(validation > 0) || validation > 1) {
            throw new TrainingException(
                    "locallyWeighted: validation is a part of a round, above 0 and at most 1, received " + validation);
        }
    }

    private static void steepness(String name, double value) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new TrainingException("locallyWeighted: " + name
                    + " is how steeply weights fall with it, at least 0 and finite, received " + value);
        }
    }

    @Override
    public Needs needs() {
        return new Needs(validation, distance > 0, labels, features);
    }

    @Override
    public double[] of(List<Contribution> members) {
        List<Contribution> sound =
                members.stream().filter(Contribution::isSound).toList();
        if (sound.isEmpty()) {
            return new SampleWeights().of(members);
        }
        double least = sound.stream().mapToDouble(Contribution::loss).min().orElseThrow();
        double spread = sound.stream()
                .mapToDouble(Contribution::squaredDistance)
                .average()
                .orElseThrow();
        double[] weights = members.stream()
                .mapToDouble(member -> member.isSound() ? weight(member, least, spread) : 0)
                .toArray();
        boolean usable = IntStream.range(0, weights.length).anyMatch(i -> weights[i] > 0);
        return usable ? weights : new SampleWeights().of(sound(members));
    }

    private double weight(Contribution member, double least, double spread) {
        double near = spread == 0 ? 1 : Math.exp(-distance * member.squaredDistance() / spread);
        return (samples ? member.samples() : 1)
                * Math.exp(-loss * (member.loss() - least))
                * near
                * (labels ? member.labels() : 1)
                * (features ? member.features() : 1);
    }

    /** Those that went astray without their samples. */
    private static List<Contribution> sound(List<Contribution> members) {
        return members.stream()
                .map(member -> member.isSound() ? member : new Contribution(0, 0, 0, 1, 1))
                .toList();
    }

    @Override
    public String toString() {
        return "locallyWeighted()";
    }
}
