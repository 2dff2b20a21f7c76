package dev.tutti.train.job;

import java.util.List;

/**
 * How closely a job under its strategy follows one worker with the whole batch.
 *
 * @param cluster where it was trained
 * @param strategy how its members agree
 * @param steps updates that were compared
 * @param samples samples of these updates
 * @param agrees whether no difference is larger than the tolerance, or than rounding explains
 * @param tolerance the largest relative difference that still agrees
 * @param exact whether the strategy means to give the same result
 * @param parameters how far the parameters are apart at the end
 * @param losses how far the losses are apart on the way
 * @param rounding how far rounding alone leads the parameters of one worker; null where that was not needed
 * @param notes what a reader must know to judge this
 */
public record ParityResult(
        String cluster,
        String strategy,
        long steps,
        long samples,
        boolean agrees,
        double tolerance,
        boolean exact,
        Difference parameters,
        Difference losses,
        Difference rounding,
        List<String> notes) {
    public ParityResult {
        notes = List.copyOf(notes);
    }

    /**
     * How far things are apart.
     *
     * @param absolute the largest difference of two numbers
     * @param relative the largest difference beside how large its numbers are: of a parameter its largest element
     * @param where which of them differ most, relatively
     */
    public record Difference(double absolute, double relative, String where) {
        static final Difference NONE = new Difference(0, 0, "");

        /** The larger of each; what is no number is larger than all. */
        Difference or(Difference other) {
            boolean further = Double.isNaN(other.relative) || other.relative > relative;
            return new Difference(
                    Math.max(absolute, other.absolute),
                    Math.max(relative, other.relative),
                    further ? other.where : where);
        }
    }
}
