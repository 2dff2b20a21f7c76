package dev.tutti.federated.privacy;

import dev.tutti.federated.ClientUpdate;
import java.security.SecureRandom;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * Bounds updates and adds the server's noise to their sum. The bound adapts, if it does, to the lengths seen in a round, whose count
 * gets noise as well.
 *
 * <p>Order of calls, for each round: {@link #begin}, {@link #protect} for each update, {@link #finish}.
 */
public final class UpdateGuard {
    private final DifferentialPrivacy privacy;
    private final RandomGenerator random;
    private double bound;
    private boolean noisy; // whether the noise of this round is in the sum
    private int updates;
    private int within;

    /** @param seed 0 draws the noise from the system's secure source; any other seed makes it repeatable, for experiments */
    public UpdateGuard(DifferentialPrivacy privacy, long seed) {
        this.privacy = privacy;
        this.bound = privacy.clip();
        this.random = seed == 0 ? new SecureRandom() : new Random(seed);
    }

    public double bound() {
        return bound;
    }

    public void restore(double saved) {
        bound = saved > 0 ? saved : bound;
    }

    public void begin(int round) {
        noisy = privacy.place() == DifferentialPrivacy.Place.CLIENTS;
        updates = 0;
        within = 0;
    }

    /** The update cut to the bound and counting like all others; the first one of a round carries the noise of the whole sum. */
    public ClientUpdate protect(ClientUpdate update) {
        // A client that adds noise has cut its update before; its noise makes it longer again.
        boolean cut = privacy.place() == DifferentialPrivacy.Place.SERVER;
        double length = length(update.delta());
        updates++;
        within += length <= bound ? 1 : 0;
        float[] bounded = cut ? bounded(update.delta(), bound) : update.delta().clone();
        if (!noisy) {
            addNoise(bounded, privacy.noise() * bound, random);
            noisy = true;
        }
        return update.delta(bounded).samples(1);
    }

    /** The mean of so many bounded updates, with the server's noise. */
    public float[] noised(float[] mean, int clients) {
        float[] out = mean.clone();
        if (!noisy) {
            addNoise(out, privacy.noise() * bound / clients, random);
            noisy = true;
        }
        return out;
    }

    /** Moves the bound towards the quantile of the lengths. */
    public void finish() {
        if (privacy.adaptive() && updates > 0) {
            double part = (within + random.nextGaussian() * privacy.countNoise()) / updates;
            bound *= Math.exp(-privacy.clipRate() * (part - privacy.quantile()));
        }
    }

    /** The length of a vector. */
    public static double length(float[] vector) {
        double squares = 0;
        for (float value : vector) {
            squares += (double) value * value;
        }
        return Math.sqrt(squares);
    }

    /** The vector, scaled down to the bound where it is longer; a copy. */
    public static float[] bounded(float[] vector, double bound) {
        double length = length(vector);
        double factor = length > bound ? bound / length : 1;
        float[] out = new float[vector.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (float) (factor * vector[i]);
        }
        return out;
    }

    /** Adds independent Gaussian noise to each value, in place. */
    public static void addNoise(float[] vector, double deviation, RandomGenerator random) {
        for (int i = 0; i < vector.length; i++) {
            vector[i] += (float) (deviation * random.nextGaussian());
        }
    }
}
