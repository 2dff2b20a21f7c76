package dev.tutti.tune.schedule;

import dev.tutti.tune.Trial;
import dev.tutti.tune.TrialState;
import dev.tutti.tune.TrialTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Hyperband (Li et al., 2018): brackets of successive halving, from many trials with few epochs to few trials with all epochs. In a
 * bracket the best {@code 1 / reduction} go on once all of a rung have been measured. Trials join the brackets in their order; after
 * the last bracket the first one begins again.
 */
public final class Hyperband implements TrialScheduler {
    private final int reduction;
    private final int epochs;
    private final int most; // the number of halvings in the longest bracket

    public Hyperband(int reduction, int epochs) {
        this.reduction = reduction;
        this.epochs = epochs;
        int halvings = 0;
        for (long rung = reduction; rung <= epochs; rung *= reduction) {
            halvings++;
        }
        this.most = halvings;
    }

    /** Trials that belong together, and how often they are halved. */
    private record Bracket(int halvings, int size, List<Trial> trials) {
        boolean isFull() {
            return trials.size() == size;
        }
    }

    private List<Bracket> brackets(TrialTable table) {
        List<Bracket> brackets = new ArrayList<>();
        int halvings = most;
        for (Trial trial : table.trials()) {
            if (brackets.isEmpty() || brackets.get(brackets.size() - 1).isFull()) {
                int size = (int) Math.ceil((most + 1.0) / (halvings + 1) * Math.pow(reduction, halvings));
                brackets.add(new Bracket(halvings, size, new ArrayList<>()));
                halvings = halvings == 0 ? most : halvings - 1;
            }
            brackets.get(brackets.size() - 1).trials().add(trial);
        }
        return brackets;
    }

    private int rung(Bracket bracket, int step) {
        return Math.max(1, (int) Math.round(epochs / Math.pow(reduction, bracket.halvings - step)));
    }

    @Override
    public Optional<Work> next(TrialTable table, boolean mayMake) {
        Optional<Work> waiting = RunToEnd.waiting(table);
        if (waiting.isPresent()) {
            return waiting;
        }
        for (Bracket bracket : brackets(table)) {
            if (mayMake && !bracket.isFull()) {
                continue; // its first rung is not complete
            }
            List<Trial> left = bracket.trials();
            for (int step = 0; step < bracket.halvings && !left.isEmpty(); step++) {
                int rung = rung(bracket, step);
                if (left.stream().anyMatch(trial -> !hasReached(trial, rung))) {
                    break;
                }
                left = left.stream()
                        .filter(trial -> trial.measured().containsKey(rung))
                        .sorted(Comparator.<Trial>comparingDouble(
                                        trial -> table.cost(trial.measured().get(rung)))
                                .thenComparingInt(Trial::number))
                        .limit(Math.max(1, left.size() / reduction))
                        .toList();
                for (Trial trial : left) {
                    if (trial.state() == TrialState.PAUSED && trial.epochs() == rung) {
                        return Optional.of(new Work.GoOn(trial));
                    }
                }
            }
        }
        return mayMake ? Optional.of(new Work.Make()) : Optional.empty();
    }

    private static boolean hasReached(Trial trial, int rung) {
        return trial.state() == TrialState.FAILED || trial.measured().containsKey(rung);
    }

    @Override
    public boolean goesOn(TrialTable table, Trial trial, int epoch) {
        for (Bracket bracket : brackets(table)) {
            if (bracket.trials().contains(trial)) {
                for (int step = 0; step < bracket.halvings; step++) {
                    if (rung(bracket, step) == epoch) {
                        return false;
                    }
                }
            }
        }
        return true;
    }
}
