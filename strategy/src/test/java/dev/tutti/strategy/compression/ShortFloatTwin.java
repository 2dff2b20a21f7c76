package dev.tutti.strategy.compression;

/** Floats of fewer bits: every number, and every sum of two, is rounded to the nearest. */
record ShortFloatTwin(int bits, int smallestExponent) implements Twin {
    static final ShortFloatTwin FP16 = new ShortFloatTwin(10, -14);
    static final ShortFloatTwin BF16 = new ShortFloatTwin(7, -126);

    @Override
    public float[] sum(float[][] gradients) {
        float[] sum = new float[gradients[0].length];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = round(gradients[0][i]);
            for (int member = 1; member < gradients.length; member++) {
                sum[i] = round(sum[i] + round(gradients[member][i]));
            }
        }
        return sum;
    }

    private float round(float value) {
        double unit = Math.scalb(1.0, Math.max(Math.getExponent(value), smallestExponent) - bits);
        return (float) (Math.rint(value / unit) * unit);
    }
}
