package dev.tutti.federated.aggregate;

import dev.tutti.TuttiException;
import java.util.Arrays;

/** A weighted sum of vectors, in double precision; each vector is added and forgotten. */
final class WeightedSum {
    private final double[] sum;
    private double weight;
    private int count;

    WeightedSum(int size) {
        sum = new double[size];
    }

    void clear() {
        Arrays.fill(sum, 0);
        weight = 0;
        count = 0;
    }

    void add(float[] vector, double factor) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += factor * vector[i];
        }
        weight += factor;
        count++;
    }

    int count() {
        return count;
    }

    double weight() {
        return weight;
    }

    double at(int i) {
        return sum[i];
    }

    /** The mean at a place. */
    double mean(int i) {
        return sum[i] / weight;
    }

    void requireSome() {
        if (count == 0 || !(weight > 0)) {
            throw new TuttiException("a round needs updates with samples: received " + count + " of weight " + weight);
        }
    }
}
