package dev.tutti.plan;

/** The interval between checkpoints that loses the least time, for a mean time between failures and the cost of a checkpoint. */
public final class CheckpointInterval {
    private CheckpointInterval() {}

    /**
     * The first-order interval of Young (1974): the square root of twice the product of both.
     *
     * @param checkpoint seconds that a checkpoint takes
     * @param meanTimeBetween failures, in seconds
     */
    public static double young(double checkpoint, double meanTimeBetween) {
        return Math.sqrt(2 * checkpoint * meanTimeBetween);
    }

    /** The higher-order interval of Daly (2006); the mean time between failures itself where a checkpoint takes at least twice as long. */
    public static double daly(double checkpoint, double meanTimeBetween) {
        if (Double.isInfinite(meanTimeBetween) || checkpoint >= 2 * meanTimeBetween) {
            return meanTimeBetween;
        }
        double ratio = checkpoint / (2 * meanTimeBetween);
        return young(checkpoint, meanTimeBetween) * (1 + Math.sqrt(ratio) / 3 + ratio / 9) - checkpoint;
    }
}
