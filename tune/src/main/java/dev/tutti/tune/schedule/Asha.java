package dev.tutti.tune.schedule;

import dev.tutti.tune.Trial;
import dev.tutti.tune.TrialState;
import dev.tutti.tune.TrialTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Asynchronous successive halving (Li et al., 2020). After {@code grace}, {@code grace * reduction}, ... epochs a trial goes on if it
 * is among the best {@code 1 / reduction} of those that have come as far; others wait, and go on later if the rest turns out worse.
 */
public final class Asha implements TrialScheduler {
    private final List<Integer> rungs = new ArrayList<>();
    private final int reduction;

    public Asha(int grace, int reduction, int epochs) {
        this.reduction = reduction;
        for (long rung = grace; rung < epochs; rung *= reduction) {
            rungs.add((int) rung);
        }
    }

    @Override
    public Optional<Work> next(TrialTable trials, boolean mayMake) {
        Optional<Work> waiting = RunToEnd.waiting(trials);
        if (waiting.isPresent()) {
            return waiting;
        }
        for (int i = rungs.size() - 1; i >= 0; i--) {
            int rung = rungs.get(i);
            for (Trial trial : promotable(trials, rung)) {
                if (trial.state() == TrialState.PAUSED && trial.epochs() == rung) {
                    return Optional.of(new Work.GoOn(trial));
                }
            }
        }
        return mayMake ? Optional.of(new Work.Make()) : Optional.empty();
    }

    private List<Trial> promotable(TrialTable trials, int rung) {
        List<Trial> ranked = trials.rankedAt(rung);
        return ranked.subList(0, ranked.size() / reduction);
    }

    @Override
    public boolean goesOn(TrialTable trials, Trial trial, int epoch) {
        return !rungs.contains(epoch) || promotable(trials, epoch).contains(trial);
    }
}
