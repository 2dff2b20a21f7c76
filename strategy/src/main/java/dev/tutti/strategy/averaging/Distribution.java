package dev.tutti.strategy.averaging;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.SampleSpec.ArraySpec;

/**
 * How the values of a round's samples are distributed, as sums that can be added up over members.
 *
 * <p>Classes are counted. Of numbers, the sums of each element, the sum of all squares and the number of samples are kept.
 */
final class Distribution {
    private final double[] sums;
    private final boolean counted;

    private Distribution(int length, boolean counted) {
        sums = new double[length];
        this.counted = counted;
    }

    /** Of labels: whole numbers are classes, of which there are so many; anything else is numbers. */
    static Distribution ofLabels(ArraySpec labels, long classes) {
        boolean counted = labels.type() != DType.FLOAT32 && labels.type() != DType.FLOAT64;
        return counted ? new Distribution(Math.toIntExact(Math.max(2, classes)), true) : ofNumbers(labels);
    }

    static Distribution ofNumbers(ArraySpec values) {
        return new Distribution(Math.toIntExact(values.shape().size()) + 2, false);
    }

    void add(NdArray batch) {
        if (counted) {
            for (int i = 0; i < batch.size(); i++) {
                sums[(int) Math.max(0, Math.min(sums.length - 1, batch.longAt(i)))]++;
            }
            return;
        }
        int width = sums.length - 2;
        for (int i = 0; i < batch.size(); i++) {
            double value = batch.at(i);
            sums[i % width] += value;
            sums[width] += value * value;
        }
        sums[width + 1] += (double) batch.size() / Math.max(1, width);
    }

    double[] sums() {
        return sums.clone();
    }

    void clear() {
        java.util.Arrays.fill(sums, 0);
    }

    /** How much these values are like all, from 0 to 1; the formulas stand at {@link LocallyWeighted}. */
    double likeness(double[] all) {
        return counted ? common(all) : nearness(all);
    }

    private double common(double[] all) {
        double mine = total(sums);
        double theirs = total(all);
        if (mine == 0) {
            return 0;
        }
        double common = 0;
        for (int i = 0; i < sums.length; i++) {
            common += Math.min(sums[i] / mine, all[i] / theirs);
        }
        return common;
    }

    private double nearness(double[] all) {
        int width = sums.length - 2;
        double mine = sums[width + 1];
        double theirs = all[width + 1];
        if (mine == 0) {
            return 0;
        }
        double distance = 0;
        double squaredMean = 0;
        for (int i = 0; i < width; i++) {
            double mean = all[i] / theirs;
            distance += Math.pow(sums[i] / mine - mean, 2);
            squaredMean += mean * mean;
        }
        double variance = all[width] / theirs - squaredMean;
        return variance > 0 ? Math.exp(-distance / variance) : 1;
    }

    private static double total(double[] counts) {
        double sum = 0;
        for (double count : counts) {
            sum += count;
        }
        return sum;
    }
}
