package dev.tutti.source.combined;

import dev.tutti.data.DataException;
import dev.tutti.data.source.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Several sources that take turns, in the proportion of their weights and spread evenly. An epoch has every row once: when one
 * source has ended the others go on. With {@code untilFirstEnds} it ends there instead, so that the proportion holds throughout.
 */
public final class InterleaveSource extends CombinedSource {
    private List<Double> weights = List.of();
    private boolean untilFirstEnds;

    private transient Turns turns;

    private InterleaveSource() {}

    private InterleaveSource(List<Source> sources, List<Double> weights, boolean untilFirstEnds) {
        super(sources);
        this.weights = List.copyOf(weights);
        this.untilFirstEnds = untilFirstEnds;
    }

    /** Sources that take turns evenly. */
    public static InterleaveSource of(Source... sources) {
        return new InterleaveSource(List.of(sources), List.of(), false);
    }

    /** How often each has a turn, relative to the others. */
    public InterleaveSource weights(double... each) {
        List<Double> chosen = new ArrayList<>();
        for (double weight : each) {
            chosen.add(weight);
        }
        return new InterleaveSource(sources(), chosen, untilFirstEnds);
    }

    /** The epoch ends when a source would have its turn and has no row left. */
    public InterleaveSource untilFirstEnds() {
        return new InterleaveSource(sources(), weights, true);
    }

    /** Whose turn it is at each place: a byte for every row, and how many turns each had before every 1,024th. */
    private record Turns(byte[] part, long[][] before) {
        private static final int STEP = 1024;

        static Turns of(long[] sizes, double[] weights, boolean untilFirstEnds) {
            long total = 0;
            for (long size : sizes) {
                total += size;
            }
            byte[] part = new byte[Math.toIntExact(total)];
            long[] used = new long[sizes.length];
            long[][] before = new long[(int) (total / STEP) + 1][];
            int count = 0;
            while (count < total) {
                int next = next(sizes, weights, used, untilFirstEnds);
                if (used[next] == sizes[next]) {
                    break;
                }
                if (count % STEP == 0) {
                    before[count / STEP] = used.clone();
                }
                part[count++] = (byte) next;
                used[next]++;
            }
            return new Turns(java.util.Arrays.copyOf(part, count), before);
        }

        /** The one that is furthest behind its share; of those that are ended only if that ends the epoch. */
        private static int next(long[] sizes, double[] weights, long[] used, boolean endedToo) {
            int best = -1;
            for (int i = 0; i < sizes.length; i++) {
                boolean open = endedToo || used[i] < sizes[i];
                if (open && (best < 0 || (used[i] + 1) / weights[i] < (used[best] + 1) / weights[best])) {
                    best = i;
                }
            }
            return best;
        }

        long numberInPart(long number, int wanted) {
            int at = (int) number;
            long count = before[at / STEP][wanted];
            for (int i = at / STEP * STEP; i < at; i++) {
                count += part[i] == wanted ? 1 : 0;
            }
            return count;
        }
    }

    private synchronized Turns turns() {
        if (turns == null) {
            int count = sources().size();
            if (count > 127
                    || !weights.isEmpty()
                            && (weights.size() != count || weights.stream().anyMatch(w -> !(w > 0)))) {
                throw new DataException("'weights' of an interleave: expected a number above 0 for each of its " + count
                        + " sources, at most 127, received " + weights);
            }
            long[] sizes = sources().stream()
                    .mapToLong(source -> source.size()
                            .orElseThrow(() -> new DataException(
                                    source + " cannot take turns: how many rows it has is not known")))
                    .toArray();
            double[] each = new double[count];
            for (int i = 0; i < count; i++) {
                each[i] = weights.isEmpty() ? 1 : weights.get(i);
            }
            turns = Turns.of(sizes, each, untilFirstEnds);
        }
        return turns;
    }

    @Override
    public CombinedSource over(List<Source> others) {
        return new InterleaveSource(others, weights, untilFirstEnds);
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(turns().part.length);
    }

    @Override
    public Rows open() {
        Turns order = turns();
        return new ChosenRows(openAll()) {
            @Override
            public long size() {
                return order.part.length;
            }

            @Override
            int partOf(long number) {
                return order.part[(int) number];
            }

            @Override
            long numberInPart(long number, int part) {
                return order.numberInPart(number, part);
            }
        };
    }

    @Override
    public String toString() {
        return "interleave(" + names() + ")";
    }
}
