package dev.tutti.tune.run;

import java.util.Map;

/** Told what was measured after an epoch, and says whether the trial goes on. */
@FunctionalInterface
interface EpochJudge {
    boolean goesOn(int epoch, Map<String, Double> measured);
}
