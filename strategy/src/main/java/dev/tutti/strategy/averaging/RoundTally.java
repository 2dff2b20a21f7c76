package dev.tutti.strategy.averaging;

import dev.tutti.comm.Collectives;
import dev.tutti.train.replica.PendingMetrics;
import dev.tutti.train.replica.Vote;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What all members say at the end of a round, by rank: the same numbers on every one of them. */
record RoundTally(List<Entry> entries) {
    /**
     * What one member says.
     *
     * @param samples samples it learned from
     * @param lossSum sum of the losses of these samples
     * @param validationLoss mean loss on its validation part
     * @param steps updates it made
     * @param chunks how many chunks it used
     * @param vote whether it has more data, whether it wants to end or to open feeds anew
     * @param sound whether all numbers of its model are finite
     */
    record Entry(long samples, double lossSum, double validationLoss, int steps, int chunks, Vote vote, boolean sound) {
        private double[] numbers() {
            return new double[] {
                samples,
                lossSum,
                validationLoss,
                steps,
                chunks,
                vote.more() ? 1 : 0,
                vote.stop() ? 1 : 0,
                vote.reopen() ? 1 : 0,
                vote.interrupted() ? 1 : 0,
                sound ? 1 : 0
            };
        }

        private static Entry of(double[] numbers) {
            return new Entry(
                    (long) numbers[0],
                    numbers[1],
                    numbers[2],
                    (int) numbers[3],
                    (int) numbers[4],
                    new Vote(
                            numbers[5] > 0, numbers[6] > 0, numbers[8] > 0, numbers[7] > 0, false, PendingMetrics.NONE),
                    numbers[9] > 0);
        }
    }

    /** Says what this member has to say and hears all others. */
    static RoundTally cast(Collectives collectives, Entry mine) {
        return new RoundTally(Arrays.stream(collectives.gather("tally", mine.numbers()))
                .map(Entry::of)
                .toList());
    }

    /** The chunks that all members used; each says which are its own. */
    List<Integer> chunks(Collectives collectives, List<Integer> mine) {
        int most = entries.stream().mapToInt(Entry::chunks).max().orElse(0);
        double[] padded = new double[most];
        for (int i = 0; i < mine.size(); i++) {
            padded[i] = mine.get(i);
        }
        List<Integer> all = new ArrayList<>();
        double[][] rows = collectives.gather("chunks", padded);
        for (int rank = 0; rank < rows.length; rank++) {
            for (int i = 0; i < entries.get(rank).chunks(); i++) {
                all.add((int) rows[rank][i]);
            }
        }
        return all;
    }

    long samples() {
        return entries.stream().mapToLong(Entry::samples).sum();
    }

    /** The mean loss of all samples. */
    double loss() {
        return samples() == 0 ? 0 : entries.stream().mapToDouble(Entry::lossSum).sum() / samples();
    }

    /** Steps of the round as an epoch counts them: the mean over the members, rounded up. */
    int steps() {
        int sum = entries.stream().mapToInt(Entry::steps).sum();
        return Math.max(1, (sum + entries.size() - 1) / entries.size());
    }

    boolean more() {
        return entries.stream().anyMatch(entry -> entry.vote().more());
    }

    boolean stop() {
        return entries.stream().anyMatch(entry -> entry.vote().stop());
    }

    boolean interrupted() {
        return entries.stream().anyMatch(entry -> entry.vote().interrupted());
    }

    boolean reopen() {
        return entries.stream().anyMatch(entry -> entry.vote().reopen());
    }
}
