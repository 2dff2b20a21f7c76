package dev.tutti.strategy.multitask;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which members work on which tasks. A member may have several tasks, and a task several members, who divide its rows evenly.
 *
 * @param ranks the members of each task; none for a task that rests
 */
record TaskPlacement(List<List<Integer>> ranks) {
    /** Another member for a task is worth the trouble if a round gets shorter by this share. */
    private static final double WORTH_SPLITTING = 0.1;

    TaskPlacement {
        ranks = ranks.stream().map(List::copyOf).toList();
    }

    /** All members work on all tasks that are active. */
    static TaskPlacement everywhere(boolean[] active, int members) {
        List<Integer> all = IntStream.range(0, members).boxed().toList();
        List<List<Integer>> ranks = new ArrayList<>();
        for (boolean works : active) {
            ranks.add(works ? all : List.of());
        }
        return new TaskPlacement(ranks);
    }

    /**
     * Places tasks so that a round is short: the largest first, each on the member that is done with it first; then the tasks that hold
     * up all others are divided among more members. The same numbers give the same placement.
     *
     * @param work seconds of each task in a round on a member of ordinary pace; 0 for a task that rests
     * @param slowness of each member: 2 for one that takes twice as long as an ordinary one
     */
    static TaskPlacement of(double[] work, double[] slowness) {
        List<List<Integer>> ranks = new ArrayList<>();
        Arrays.stream(work).forEach(each -> ranks.add(new ArrayList<>()));
        double[] load = new double[slowness.length];
        IntStream.range(0, work.length)
                .boxed()
                .filter(task -> work[task] > 0)
                .sorted(Comparator.comparingDouble(task -> -work[task]))
                .forEach(task -> {
                    int best = 0;
                    for (int rank = 1; rank < load.length; rank++) {
                        boolean sooner =
                                (load[rank] + work[task]) * slowness[rank] < (load[best] + work[task]) * slowness[best];
                        best = sooner ? rank : best;
                    }
                    load[best] += work[task];
                    ranks.get(task).add(best);
                });
        TaskPlacement placement = new TaskPlacement(ranks);
        for (TaskPlacement next = placement.divided(work, slowness);
                next != null;
                next = next.divided(work, slowness)) {
            placement = next;
        }
        return placement;
    }

    /** One more member for one of the tasks of the member that is done last; null where that helps too little. */
    private TaskPlacement divided(double[] work, double[] slowness) {
        double[] seconds = seconds(work, slowness);
        int last = 0;
        int first = 0;
        for (int rank = 1; rank < seconds.length; rank++) {
            last = seconds[rank] > seconds[last] ? rank : last;
            first = seconds[rank] < seconds[first] ? rank : first;
        }
        TaskPlacement best = null;
        double shortest = (1 - WORTH_SPLITTING) * seconds[last];
        for (int task = 0; task < work.length; task++) {
            if (ranks.get(task).contains(last) && !ranks.get(task).contains(first)) {
                List<List<Integer>> more = new ArrayList<>(ranks);
                List<Integer> holders = new ArrayList<>(ranks.get(task));
                holders.add(first);
                more.set(task, holders);
                TaskPlacement next = new TaskPlacement(more);
                if (next.longest(work, slowness) < shortest) {
                    shortest = next.longest(work, slowness);
                    best = next;
                }
            }
        }
        return best;
    }

    private double[] seconds(double[] work, double[] slowness) {
        double[] seconds = new double[slowness.length];
        for (int task = 0; task < work.length; task++) {
            for (int rank : ranks.get(task)) {
                seconds[rank] += work[task] / ranks.get(task).size() * slowness[rank];
            }
        }
        return seconds;
    }

    /** Seconds of the member that is done last. */
    double longest(double[] work, double[] slowness) {
        return Arrays.stream(seconds(work, slowness)).max().orElse(0);
    }
}
