package dev.tutti.federated.privacy;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Counts the privacy that rounds spend, by Renyi differential privacy of the sampled Gaussian mechanism (Mironov, Talwar, Zhang 2019):
 * each client takes part in a round independently with one chance, and the sum gets Gaussian noise.
 */
public final class RdpAccountant {
    /** The orders that are looked at: fractional ones up to 11, then whole ones. */
    private static final double[] ORDERS = DoubleStream.concat(
                    IntStream.range(1, 100).mapToDouble(i -> 1 + i / 10.0),
                    IntStream.range(12, 257).asDoubleStream())
            .toArray();

    private final double[] perRound;

    /**
     * @param chance with which a client takes part in a round
     * @param noise standard deviation of the noise as a multiple of the bound
     */
    public RdpAccountant(double chance, double noise) {
        perRound = Arrays.stream(ORDERS).map(order -> rdp(chance, noise, order)).toArray();
    }

    /** The epsilon that goes with a delta after so many rounds; the conversion of Balle et al. 2020. */
    public double epsilon(int rounds, double delta) {
        if (rounds == 0) {
            return 0;
        }
        double best = Double.POSITIVE_INFINITY;
        for (int i = 0; i < ORDERS.length; i++) {
            double order = ORDERS[i];
            double epsilon =
                    rounds * perRound[i] + Math.log1p(-1 / order) - (Math.log(delta) + Math.log(order)) / (order - 1);
            best = Math.min(best, epsilon);
        }
        return Math.max(0, best);
    }

    private static double rdp(double chance, double noise, double order) {
        if (chance == 1) {
            return order / (2 * noise * noise);
        }
        double log =
                order == Math.rint(order) ? logWhole(chance, noise, (int) order) : logFractional(chance, noise, order);
        return log / (order - 1);
    }

    /** The log of the order's moment, for a whole order: a binomial sum. */
    private static double logWhole(double q, double noise, int order) {
        double log = Double.NEGATIVE_INFINITY;
        for (int i = 0; i <= order; i++) {
            log = logAdd(
                    log,
                    logBinomial(order, i)
                            + i * Math.log(q)
                            + (order - i) * Math.log1p(-q)
                            + ((double) i * i - i) / (2 * noise * noise));
        }
        return log;
    }

    /** The same for any order: two series that are cut where their terms no longer matter. */
    private static double logFractional(double q, double noise, double order) {
        double first = Double.NEGATIVE_INFINITY;
        double second = Double.NEGATIVE_INFINITY;
        double z0 = noise * noise * Math.log(1 / q - 1) + 0.5;
        double logCoefficient = 0;
        double sign = 1;
        for (int i = 0; ; i++) {
            double j = order - i;
            double t0 = logCoefficient + i * Math.log(q) + j * Math.log1p(-q);
            double t1 = logCoefficient + j * Math.log(q) + i * Math.log1p(-q);
            double e0 = Math.log(0.5) + LogErfc.of((i - z0) / (Math.sqrt(2) * noise));
            double e1 = Math.log(0.5) + LogErfc.of((z0 - j) / (Math.sqrt(2) * noise));
            double s0 = t0 + ((double) i * i - i) / (2 * noise * noise) + e0;
            double s1 = t1 + (j * j - j) / (2 * noise * noise) + e1;
            first = sign > 0 ? logAdd(first, s0) : logSubtract(first, s0);
            second = sign > 0 ? logAdd(second, s1) : logSubtract(second, s1);
            if (Math.max(s0, s1) < -30 && i > order) {
                return logAdd(first, second);
            }
            double factor = (order - i) / (i + 1);
            logCoefficient += Math.log(Math.abs(factor));
            sign = factor < 0 ? -sign : sign;
        }
    }

    private static double logBinomial(int n, int k) {
        double log = 0;
        for (int i = 1; i <= k; i++) {
            log += Math.log(n - k + (double) i) - Math.log(i);
        }
        return log;
    }

    private static double logAdd(double a, double b) {
        double high = Math.max(a, b);
        double low = Math.min(a, b);
        return low == Double.NEGATIVE_INFINITY ? high : high + Math.log1p(Math.exp(low - high));
    }

    private static double logSubtract(double a, double b) {
        if (b == Double.NEGATIVE_INFINITY) {
            return a;
        }
        return a <= b ? Double.NEGATIVE_INFINITY : a + Math.log(-Math.expm1(b - a));
    }
}
