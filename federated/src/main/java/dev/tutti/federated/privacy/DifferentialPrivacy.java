package dev.tutti.federated.privacy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.BoundedNumber;
import dev.tutti.json.Definition;
import java.util.Optional;

/**
 * Client-level differential privacy: whether one client took part can hardly be told from the model. Updates are cut to a length, all
 * clients count alike, and the sum gets Gaussian noise of {@code noise} times that length.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class DifferentialPrivacy extends Definition {
    /** Where noise is added. */
    public enum Place {
        /** By the server, which sees updates without noise. */
        SERVER,
        /** By each client, its share of the noise of the sum: the server sees no update without noise. */
        CLIENTS
    }

    private double clip = 1;
    private boolean adaptive;
    private double quantile = 0.5;
    private double clipRate = 0.2;
    private double countNoise = 10;
    private double noise = 1;
    private Place place = Place.SERVER;
    private double delta = 1e-5;
    private Double epsilon;

    /** The greatest length of an update; longer ones are scaled down. With {@link #adaptive} the first such bound. */
    public DifferentialPrivacy clip(double bound) {
        return this.<DifferentialPrivacy>copy(c -> c.clip = bound);
    }

    /** Lets the bound follow a quantile of the updates' lengths (Andrew et al. 2021). */
    public DifferentialPrivacy adaptive(boolean on) {
        return this.<DifferentialPrivacy>copy(c -> c.adaptive = on);
    }

    /** The standard deviation of the noise of the sum, as a multiple of the bound. */
    public DifferentialPrivacy noise(double multiplier) {
        return this.<DifferentialPrivacy>copy(c -> c.noise = multiplier);
    }

    public DifferentialPrivacy place(Place where) {
        return this.<DifferentialPrivacy>copy(c -> c.place = where);
    }

    /** The chance that the promise fails; well under one divided by the number of clients. */
    public DifferentialPrivacy delta(double chance) {
        return this.<DifferentialPrivacy>copy(c -> c.delta = chance);
    }

    /** The budget: the run ends before a round that would spend more. */
    public DifferentialPrivacy epsilon(double budget) {
        return this.<DifferentialPrivacy>copy(c -> c.epsilon = budget);
    }

    public double clip() {
        return clip;
    }

    public boolean adaptive() {
        return adaptive;
    }

    public double quantile() {
        return quantile;
    }

    public double clipRate() {
        return clipRate;
    }

    public double noise() {
        return noise;
    }

    /** Standard deviation of the noise on the count of short updates, by which an adaptive bound moves. */
    public double countNoise() {
        return countNoise;
    }

    /** The multiplier that the accountant counts with: an adaptive bound spends a little on the count of short updates. */
    public double accountedNoise() {
        return adaptive ? 1 / Math.sqrt(1 / (noise * noise) + 1 / (4 * countNoise * countNoise)) : noise;
    }

    public Place place() {
        return place;
    }

    public double delta() {
        return delta;
    }

    public Optional<Double> epsilon() {
        return Optional.ofNullable(epsilon);
    }

    @Override
    public void validate() {
        setting("clip", clip).above(0);
        setting("quantile", quantile).above(0).below(1);
        setting("clipRate", clipRate).above(0);
        setting("noise", noise).above(0);
        setting("countNoise", countNoise).above(0);
        setting("delta", delta).above(0).below(1);
        if (epsilon != null) {
            setting("epsilon", epsilon).above(0);
        }
    }

    private static BoundedNumber setting(String name, double value) {
        return new BoundedNumber("privacy", name, value);
    }
}
