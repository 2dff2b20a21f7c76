package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.train.replica.Vote;

/**
 * What all members say at a step, counted: the same numbers on every one of them.
 *
 * @param samples samples of the step
 * @param lossSum sum of the losses of these samples
 * @param busy members that had any
 * @param more whether any member has more data in this epoch
 * @param stop whether any member wants training to end
 * @param interrupted whether any member wants that in order to go on later
 * @param reopen whether any member wants feeds to be opened anew
 * @param stateWanted whether the chief needs the whole state after the step
 * @param secondsPerSample how long each member was busy with one sample, its data included, by rank; 0 for those who had none
 */
public record StepTally(
        long samples,
        double lossSum,
        int busy,
        boolean more,
        boolean stop,
        boolean interrupted,
        boolean reopen,
        boolean stateWanted,
        double[] secondsPerSample) {
    private static final int COUNTS = 8;

    /** Says what this member has to say and hears all others. */
    public static StepTally cast(Collectives collectives, long samples, double lossSum, double seconds, Vote vote) {
        Group group = collectives.group();
        double[] mine = new double[COUNTS + group.size()];
        mine[0] = samples;
        mine[1] = lossSum;
        mine[2] = samples > 0 ? 1 : 0;
        mine[3] = vote.more() ? 1 : 0;
        mine[4] = vote.stop() ? 1 : 0;
        mine[5] = vote.reopen() ? 1 : 0;
        mine[6] = vote.state() ? 1 : 0;
        mine[7] = vote.interrupted() ? 1 : 0;
        mine[COUNTS + group.rank()] = samples > 0 ? seconds / samples : 0;
        double[] all = collectives.sum("tally", mine);
        double[] pace = new double[group.size()];
        System.arraycopy(all, COUNTS, pace, 0, pace.length);
        boolean more = all[3] > 0;
        boolean stop = all[4] > 0;
        // At the end of an epoch, and of training, callbacks save without having asked.
        boolean state = all[6] > 0 || !more || stop;
        return new StepTally(Math.round(all[0]), all[1], (int) all[2], more, stop, all[7] > 0, all[5] > 0, state, pace);
    }

    public double loss() {
        return lossSum / samples;
    }
}
