package dev.tutti.strategy.mapreduce;

import java.io.Serializable;

/**
 * What some rows say about one range of the parameters: a sum over the rows.
 *
 * @param key the number of the range
 * @param part the lowest number of a part of the data that is in the sum: sums are formed in its order
 * @param values the sum, as long as the range
 * @param weight how many rows it is over
 * @param loss the sum of their losses; of the range 0, and zero for others
 */
@SuppressWarnings("ArrayRecordComponent") // sums are not compared, and copies would cost as much as the sum
public record RangePartial(int key, int part, double[] values, double weight, double loss) implements Serializable {
    /** The sum over the rows of both. */
    public RangePartial plus(RangePartial other) {
        double[] sum = values.clone();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += other.values[i];
        }
        return new RangePartial(key, Math.min(part, other.part), sum, weight + other.weight, loss + other.loss);
    }
}
