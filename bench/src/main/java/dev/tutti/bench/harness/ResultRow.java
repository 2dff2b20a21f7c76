package dev.tutti.bench.harness;

/**
 * One line of the results. Where a contender failed there is a {@code failure} instead of a ratio.
 *
 * @param what the work, with the cores it had
 * @param peer who is compared with
 * @param ours our numbers, or null where ours failed
 * @param theirs the peer's numbers, or null where it failed
 * @param ratio how many times better ours is, over 1 always being better: the median of the rounds' ratios
 * @param spread the ratios round by round
 * @param target what was to be reached, or null
 * @param met whether it was; null where there is no target
 */
public record ResultRow(
        String what,
        String peer,
        String unit,
        Better better,
        MeasurementSummary ours,
        MeasurementSummary theirs,
        Double ratio,
        MeasurementSummary spread,
        RequiredValue target,
        Boolean met,
        String oursCommand,
        String peerCommand,
        String failure) {

    /** A row with both sides measured. */
    static ResultRow measured(
            Race race, Comparison comparison, Plan plan, MeasurementSummary ours, MeasurementSummary theirs) {
        Better better = comparison.measure().better();
        MeasurementSummary spread = ours.ratioTo(theirs, better);
        double ratio = spread.median();
        RequiredValue target = comparison.target().orElse(null);
        return new ResultRow(
                title(race, comparison),
                comparison.peer().name(),
                comparison.measure().unit(),
                better,
                ours,
                theirs,
                ratio,
                spread,
                target,
                target == null ? null : target.met(ours.median(), ratio),
                race.ours().shown(race.cores(), plan),
                comparison.peer().shown(race.cores(), plan),
                null);
    }

    /** A row where a side failed; a target is then not met. */
    static ResultRow failed(
            Race race,
            Comparison comparison,
            Plan plan,
            MeasurementSummary ours,
            MeasurementSummary theirs,
            String failure) {
        RequiredValue target = comparison.target().orElse(null);
        return new ResultRow(
                title(race, comparison),
                comparison.peer().name(),
                comparison.measure().unit(),
                comparison.measure().better(),
                ours,
                theirs,
                null,
                null,
                target,
                target == null ? null : false,
                race.ours().shown(race.cores(), plan),
                comparison.peer().shown(race.cores(), plan),
                failure);
    }

    /** The row for people who watch: who was compared, the numbers, the ratio, and whether that was enough. */
    public String sentence() {
        if (failure != null) {
            return "beside " + peer + ": FAILED. " + failure;
        }
        String verdict = target == null ? "" : ", target " + target + (met ? ": met" : ": NOT met");
        return "beside " + peer + ": " + Numbers.of(ours.median()) + " to " + Numbers.of(theirs.median()) + " " + unit
                + ", ratio " + Numbers.ratio(ratio) + " (" + Numbers.range(spread) + ")" + verdict;
    }

    private static String title(Race race, Comparison comparison) {
        String label = comparison.measure().label();
        return label.isEmpty() ? race.title() : race.title() + ": " + label;
    }
}
