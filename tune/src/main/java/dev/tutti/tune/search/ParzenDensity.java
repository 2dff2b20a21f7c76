package dev.tutti.tune.search;

import dev.tutti.tune.Dimension;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A density over the unit interval, estimated from points: a normal curve around each, as wide as the distance to its farther
 * neighbour, and a flat part, so that nothing is impossible. For choices, the smoothed share of each.
 */
final class ParzenDensity {
    private static final double LEAST_WIDTH = 0.02;

    private final double[] centres;
    private final double[] widths;
    private final double[] shares; // of choices; null otherwise

    private ParzenDensity(double[] centres, double[] widths, double[] shares) {
        this.centres = centres;
        this.widths = widths;
        this.shares = shares;
    }

    static ParzenDensity of(Dimension dimension, double[] points) {
        if (dimension.isChoice()) {
            double[] shares = new double[dimension.count()];
            Arrays.fill(shares, 1.0 / (points.length + shares.length));
            for (double point : points) {
                shares[Math.min(shares.length - 1, (int) (point * shares.length))] +=
                        1.0 / (points.length + shares.length);
            }
            return new ParzenDensity(points, new double[0], shares);
        }
        double[] sorted = points.clone();
        Arrays.sort(sorted);
        double[] widths = new double[sorted.length];
        double least = Math.max(LEAST_WIDTH, 1.0 / (10 + 2.0 * sorted.length));
        for (int i = 0; i < sorted.length; i++) {
            double left = sorted[i] - (i == 0 ? 0 : sorted[i - 1]);
            double right = (i == sorted.length - 1 ? 1 : sorted[i + 1]) - sorted[i];
            widths[i] = Math.min(1, Math.max(least, Math.max(left, right)));
        }
        return new ParzenDensity(sorted, widths, null);
    }

    double draw(SplittableRandom random) {
        if (shares != null) {
            double left = random.nextDouble() * Arrays.stream(shares).sum();
            int choice = 0;
            while (choice < shares.length - 1 && left >= shares[choice]) {
                left -= shares[choice];
                choice++;
            }
            return (choice + 0.5) / shares.length;
        }
        int centre = random.nextInt(centres.length + 1);
        if (centre == centres.length) {
            return random.nextDouble();
        }
        for (int attempt = 0; attempt < 100; attempt++) {
            double value = centres[centre] + widths[centre] * gaussian(random);
            if (value >= 0 && value < 1) {
                return value;
            }
        }
        return Math.min(Math.max(centres[centre], 0), Math.nextDown(1.0));
    }

    /** By Box and Muller: splittable generators of this Java draw no normal numbers themselves. */
    private static double gaussian(SplittableRandom random) {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }

    double at(double value) {
        if (shares != null) {
            return shares[Math.min(shares.length - 1, (int) (value * shares.length))];
        }
        double sum = 1; // the flat part
        for (int i = 0; i < centres.length; i++) {
            double distance = (value - centres[i]) / widths[i];
            sum += Math.exp(-distance * distance / 2) / (widths[i] * Math.sqrt(2 * Math.PI));
        }
        return sum / (centres.length + 1);
    }
}
