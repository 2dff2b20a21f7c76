package dev.tutti.data.transform;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import java.util.Optional;

/**
 * Every element less its mean, divided by its standard deviation, as float32.
 *
 * <p>There is one mean for all elements, or one for each channel of an image [channels, height, width], or one for
 * each place of the innermost axis of anything else. An element that never changes has no deviation and is only moved
 * to 0.
 */
public final class Normalize extends ArrayTransform {
    private double[] mean = {0};
    private double[] std = {1};

    private Normalize() {
        super(Side.FEATURES);
    }

    Normalize(double[] mean, double[] std) {
        this();
        if (mean.length != std.length || mean.length == 0) {
            throw new DataException("normalize: expected as many deviations as means, received " + mean.length
                    + " means and " + std.length + " deviations");
        }
        this.mean = mean.clone();
        this.std = std.clone();
    }

    /**
     * Reads an epoch and measures its first feature: for each channel of images, else for each place of the innermost
     * axis.
     */
    public static Normalize fit(Dataset dataset) {
        Moments moments = null;
        try (BatchReader reader = dataset.batch(dataset.batchSize().orElse(64)).open(0)) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                Batch batch = next.get();
                if (moments == null) {
                    moments = new Moments(batch.feature());
                }
                moments.add(batch.feature());
            }
        }
        if (moments == null) {
            throw new DataException("normalize cannot be fitted: no row of " + dataset + " is left");
        }
        return moments.normalize();
    }

    /** Sums of values and their squares, taken from the first value of each column so that large values lose nothing. */
    private static final class Moments {
        private final Shape shape;
        private final int run;
        private final double[] origin;
        private final double[] sum;
        private final double[] squares;
        private long count;

        Moments(NdArray batch) {
            this.shape = batch.shape().from(1);
            this.run = run(shape);
            int groups = groups(shape);
            this.origin = new double[groups];
            this.sum = new double[groups];
            this.squares = new double[groups];
            for (int group = 0; group < groups; group++) {
                origin[group] = batch.at(group * run);
            }
        }

        void add(NdArray batch) {
            if (!batch.shape().from(1).equals(shape)) {
                throw new DataException("normalize cannot be fitted to rows of different shapes: the first is " + shape
                        + ", a later one " + batch.shape().from(1));
            }
            float[] values = ElementConversion.toFloats(batch);
            for (int i = 0; i < values.length; i++) {
                int group = i / run % sum.length;
                double distance = values[i] - origin[group];
                sum[group] += distance;
                squares[group] += distance * distance;
            }
            count += values.length / sum.length;
        }

        Normalize normalize() {
            double[] mean = new double[sum.length];
            double[] std = new double[sum.length];
            for (int i = 0; i < sum.length; i++) {
                double distance = sum[i] / count;
                mean[i] = origin[i] + distance;
                std[i] = Math.sqrt(Math.max(0, squares[i] / count - distance * distance));
                if (!Double.isFinite(mean[i])) {
                    throw new DataException("normalize cannot be fitted: column " + i
                            + " holds values that are not finite; fill or drop them first");
                }
            }
            return new Normalize(mean, std);
        }
    }

    /** How many means an array of this shape has, if there is more than one. */
    private static int groups(Shape shape) {
        if (shape.rank() == 0) {
            return 1;
        }
        return Math.toIntExact(shape.dim(shape.rank() == 3 ? 0 : -1));
    }

    /** How many neighbours share a mean. */
    private static int run(Shape shape) {
        return shape.rank() == 3 ? Math.toIntExact(shape.from(1).size()) : 1;
    }

    @Override
    protected NdArray apply(NdArray array) {
        int groups = mean.length == 1 ? 1 : groups(array.shape());
        if (groups != mean.length) {
            throw new DataException(
                    "an array of " + array + " has " + groups + " columns, but there are " + mean.length + " means");
        }
        int run = groups == 1 ? array.size() : run(array.shape());
        float[] in = ElementConversion.toFloats(array);
        float[] out = new float[in.length];
        int at = 0;
        while (at < in.length) {
            for (int group = 0; group < groups; group++) {
                float shift = (float) mean[group];
                float divisor = std[group] == 0 ? 1 : (float) std[group];
                for (int end = at + run; at < end; at++) {
                    out[at] = (in[at] - shift) / divisor;
                }
            }
        }
        return NdArray.wrap(DType.FLOAT32, array.shape(), out);
    }

    public double[] mean() {
        return mean.clone();
    }

    public double[] std() {
        return std.clone();
    }
}
