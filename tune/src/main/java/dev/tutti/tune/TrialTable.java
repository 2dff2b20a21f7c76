package dev.tutti.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** All trials of a search and which of two values is better. A deterministic state machine: {@link #apply} is its only change. */
public final class TrialTable {
    private final boolean higherIsBetter;
    private final List<Trial> trials = new ArrayList<>();

    public TrialTable(boolean higherIsBetter) {
        this.higherIsBetter = higherIsBetter;
    }

    /** Changes the table by an event. */
    public void apply(TrialEvent event) {
        if (event.what() == TrialEvent.Kind.MADE) {
            if (event.trial() != trials.size() + 1) {
                throw new IllegalArgumentException(
                        "expected trial " + (trials.size() + 1) + " to be made next, received " + event.trial());
            }
            trials.add(new Trial(event.trial(), event.values()));
            return;
        }
        Trial trial = trial(event.trial());
        if (event.seconds() != null) {
            trial.spend(event.seconds());
        }
        switch (event.what()) {
            case BEGUN -> trial.state(TrialState.RUNNING);
            case MEASURED -> trial.measure(event.epoch(), event.value());
            case PAUSED -> trial.state(TrialState.PAUSED);
            case EXCHANGED -> trial.exchange(event.epoch(), event.source(), event.values());
            case LOST -> {
                trial.lose();
                trial.state(TrialState.WAITING);
            }
            case INTERRUPTED -> trial.state(TrialState.WAITING);
            case FAILED -> trial.fail(event.reason());
            case FINISHED -> trial.state(TrialState.FINISHED);
            case MADE -> throw new IllegalStateException("handled above");
        }
    }

    public List<Trial> trials() {
        return List.copyOf(trials);
    }

    public Trial trial(int number) {
        return trials.get(number - 1);
    }

    public boolean higherIsBetter() {
        return higherIsBetter;
    }

    /** A value as a cost, so that less is better; what is no number is worst. */
    public double cost(double value) {
        return Double.isNaN(value) ? Double.POSITIVE_INFINITY : higherIsBetter ? -value : value;
    }

    /** Those that were measured after an epoch, the best first; of equal ones the earlier trial. */
    public List<Trial> rankedAt(int epoch) {
        return trials.stream()
                .filter(trial -> trial.measured().containsKey(epoch))
                .sorted(Comparator.<Trial>comparingDouble(
                                trial -> cost(trial.measured().get(epoch)))
                        .thenComparingInt(Trial::number))
                .toList();
    }

    /** The trial whose last value is best. */
    public Optional<Trial> best() {
        return trials.stream()
                .filter(trial -> trial.last().isPresent() && trial.state() != TrialState.FAILED)
                .min(Comparator.<Trial>comparingDouble(
                                trial -> cost(trial.last().getAsDouble()))
                        .thenComparingInt(trial -> -trial.epochs()));
    }

    /** Epochs of all trials together. */
    public long epochs() {
        return trials.stream().mapToLong(Trial::epochs).sum();
    }
}
