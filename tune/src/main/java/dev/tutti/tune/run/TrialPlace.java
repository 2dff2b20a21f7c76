package dev.tutti.tune.run;

/** A place that works on one trial at a time. Belongs to one thread. */
interface TrialPlace extends AutoCloseable {
    /**
     * Works on a trial until it is done, has to wait, or has failed.
     *
     * @param judge asked after each epoch, by the thread that called
     */
    TrialEnding run(TrialOrder order, EpochJudge judge);

    @Override
    void close();
}
