package dev.tutti.federated.simulation;

import dev.tutti.TuttiException;
import dev.tutti.data.RowRandom;

/**
 * How reachable, reliable and fast simulated clients are. All of it follows from a seed, the client and the round.
 *
 * @param availability the chance that a client is there when a round begins
 * @param dropout the chance that a client that was asked never answers
 * @param spread how much clients differ in speed: the standard deviation of the logarithm of it; 0 for all alike
 * @param samplesPerSecond what a client of ordinary speed trains on
 */
public record ClientConditions(double availability, double dropout, double spread, double samplesPerSecond) {
    public static final ClientConditions IDEAL = new ClientConditions(1, 0, 0, 1000);

    private static final int AVAILABLE = 1;
    private static final int DROPS = 2;
    private static final int SPEED = 3;

    public ClientConditions {
        if (!(availability > 0 && availability <= 1) || !(dropout >= 0 && dropout < 1) || !(spread >= 0)) {
            throw new TuttiException(
                    "expected an availability above 0 and at most 1, a dropout from 0 to below 1 and a spread"
                            + " of 0 or more, received " + availability + ", " + dropout + " and " + spread);
        }
    }

    boolean isThere(long seed, int client, int round, int attempt) {
        return availability == 1
                || draw(seed, AVAILABLE, client, round, attempt).nextDouble() < availability;
    }

    boolean dropsOut(long seed, int client, int round, int attempt) {
        return dropout > 0 && draw(seed, DROPS, client, round, attempt).nextDouble() < dropout;
    }

    /** How long a client trains on so many samples. */
    double seconds(long seed, int client, long samples) {
        double speed = spread == 0
                ? 1
                : Math.exp(spread * draw(seed, SPEED, client, 0, 0).nextGaussian());
        return samples / (samplesPerSecond * speed);
    }

    private static RowRandom draw(long seed, int what, int client, int round, int attempt) {
        return new RowRandom(RowRandom.seed(seed, what, client, round, attempt));
    }
}
