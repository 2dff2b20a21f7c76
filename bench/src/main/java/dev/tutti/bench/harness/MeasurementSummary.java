package dev.tutti.bench.harness;

import java.util.Arrays;
import java.util.List;

/** Several measurements of the same thing: the median, the extremes, and all of them in the order they were made. */
public record MeasurementSummary(double median, double min, double max, List<Double> values) {
    public MeasurementSummary {
        values = List.copyOf(values);
    }

    public static MeasurementSummary of(List<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("There is nothing to summarise.");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new MeasurementSummary(
                median, sorted[0], Arrays.stream(sorted).max().orElseThrow(), values);
    }

    /**
     * How many times better these are than the peer's, round by round.
     *
     * <p>Both were measured in turn, so what slowed the machine in one round slowed both: the spread of these ratios is
     * narrower, and says more, than that of either side.
     */
    public MeasurementSummary ratioTo(MeasurementSummary peer, Better better) {
        if (values.size() != peer.values.size()) {
            throw new IllegalArgumentException("Expected as many rounds of the peer as of ours (" + values.size()
                    + "), received " + peer.values.size() + ".");
        }
        Double[] ratios = new Double[values.size()];
        Arrays.setAll(ratios, i -> better.ratio(values.get(i), peer.values.get(i)));
        return of(Arrays.asList(ratios));
    }
}
