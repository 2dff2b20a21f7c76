package dev.tutti.strategy.compression;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Sorts everything and takes the first ones. */
final class TopKTwin implements Twin {
    private final double fraction;
    private float[][] residuals;

    TopKTwin(double fraction) {
        this.fraction = fraction;
    }

    @Override
    public float[] sum(float[][] gradients) {
        int size = gradients[0].length;
        if (residuals == null) {
            residuals = new float[gradients.length][size];
        }
        float[] sum = new float[size];
        for (int member = 0; member < gradients.length; member++) {
            float[] owed = residuals[member];
            for (int i = 0; i < size; i++) {
                owed[i] += gradients[member][i];
            }
            int[] largest = IntStream.range(0, size)
                    .boxed()
                    .sorted(Comparator.comparing(i -> -Math.abs(owed[i])))
                    .limit(Math.max(1, Math.round(fraction * size)))
                    .mapToInt(i -> i)
                    .toArray();
            Arrays.stream(largest).forEach(i -> {
                sum[i] += owed[i];
                owed[i] = 0;
            });
        }
        return sum;
    }
}
