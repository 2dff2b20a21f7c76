package dev.tutti.spark.ml;

/** What outputs of a model mean for classes. One output is that of two classes: the score of the second. */
final class Scores {
    private Scores() {}

    static int likeliest(float[] scores, int from, int count) {
        if (count == 1) {
            return scores[from] > 0 ? 1 : 0;
        }
        int best = 0;
        for (int i = 1; i < count; i++) {
            if (scores[from + i] > scores[from + best]) {
                best = i;
            }
        }
        return best;
    }

    static double[] raw(float[] scores, int from, int count) {
        double[] values = new double[count == 1 ? 1 : count];
        for (int i = 0; i < count; i++) {
            values[i] = scores[from + i];
        }
        return values;
    }

    static double[] probabilities(float[] scores, int from, int count) {
        if (count == 1) {
            double second = 1 / (1 + Math.exp(-scores[from]));
            return new double[] {1 - second, second};
        }
        double most = scores[from + likeliest(scores, from, count)];
        double[] values = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            values[i] = Math.exp(scores[from + i] - most);
            sum += values[i];
        }
        for (int i = 0; i < count; i++) {
            values[i] /= sum;
        }
        return values;
    }
}
