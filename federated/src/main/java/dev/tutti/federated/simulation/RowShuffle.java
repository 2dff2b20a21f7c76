package dev.tutti.federated.simulation;

import dev.tutti.data.RowRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Orders and parts of rows that partitions are made of. */
final class RowShuffle {
    private RowShuffle() {}

    /** The numbers from 0 in an order by chance. */
    static int[] order(int count, RowRandom random) {
        int[] order = IntStream.range(0, count).toArray();
        mix(order, random);
        return order;
    }

    static void mix(int[] values, RowRandom random) {
        for (int i = values.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int swapped = values[i];
            values[i] = values[other];
            values[other] = swapped;
        }
    }

    /** Consecutive parts in the proportion of weights; they hold each row once. */
    static List<int[]> parts(int[] rows, double[] weights) {
        double total = 0;
        for (double weight : weights) {
            total += weight;
        }
        List<int[]> parts = new ArrayList<>(weights.length);
        double sum = 0;
        int from = 0;
        for (int i = 0; i < weights.length; i++) {
            sum += weights[i];
            int to =
                    i == weights.length - 1 ? rows.length : Math.max(from, (int) Math.round(sum / total * rows.length));
            parts.add(java.util.Arrays.copyOfRange(rows, from, to));
            from = to;
        }
        return parts;
    }

    /** A draw of a gamma distribution of scale 1 (Marsaglia and Tsang). */
    static double gamma(double shape, RowRandom random) {
        if (shape < 1) {
            return gamma(shape + 1, random) * Math.pow(1 - random.nextDouble(), 1 / shape);
        }
        double d = shape - 1.0 / 3;
        double c = 1 / Math.sqrt(9 * d);
        while (true) {
            double x = random.nextGaussian();
            double v = Math.pow(1 + c * x, 3);
            if (v > 0 && Math.log(1 - random.nextDouble()) < 0.5 * x * x + d - d * v + d * Math.log(v)) {
                return d * v;
            }
        }
    }

    /** Clients without rows get one of the client that has most. */
    static List<int[]> withoutEmpty(List<int[]> parts) {
        List<int[]> filled = new ArrayList<>(parts);
        for (int i = 0; i < filled.size(); i++) {
            if (filled.get(i).length == 0) {
                int most = 0;
                for (int k = 0; k < filled.size(); k++) {
                    most = filled.get(k).length > filled.get(most).length ? k : most;
                }
                int[] rich = filled.get(most);
                if (rich.length < 2) {
                    throw new dev.tutti.TuttiException(
                            "there are more clients (" + parts.size() + ") than rows: every client needs one");
                }
                filled.set(i, new int[] {rich[rich.length - 1]});
                filled.set(most, java.util.Arrays.copyOf(rich, rich.length - 1));
            }
        }
        return filled;
    }
}
