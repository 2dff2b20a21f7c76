package dev.tutti.bench.allreduce;

import dev.tutti.bench.contender.Workload;

/** All-reduces of one vector between JVMs. A sample is an all-reduce. */
final class SumWorkload implements Workload {
    private static final int STRETCHES = 8;

    private final WireTeam team;
    private final int elements;
    private double secondsEach;

    SumWorkload(WireKind wire, int members, int bytes) {
        team = new WireTeam(wire, members);
        elements = bytes / Float.BYTES;
        secondsEach = team.sum(elements, 2).seconds() / 2;
    }

    /**
     * All members are told beforehand how often: asking each time whether to go on would be a sum of its own. In some stretches,
     * whose length follows from the pace of the last.
     */
    @Override
    public Pace run(double seconds) {
        long done = 0;
        double took = 0;
        while (done == 0 || took < seconds) {
            int times = (int) Math.max(1, Math.min(1e6, seconds / STRETCHES / secondsEach));
            double these = team.sum(elements, times).seconds();
            secondsEach = these / times;
            done += times;
            took += these;
        }
        return new Pace(done, done, took);
    }

    @Override
    public void step() {
        run(0);
    }

    @Override
    public int batch() {
        return 1;
    }

    @Override
    public void close() {
        team.close();
    }
}
