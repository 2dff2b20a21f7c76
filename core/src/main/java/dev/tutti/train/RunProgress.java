package dev.tutti.train;

import dev.tutti.array.NdArray;
import dev.tutti.data.Position;
import dev.tutti.train.checkpoint.Checkpoint;
import dev.tutti.train.replica.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** How far a run is: the same for all of its members. */
public final class RunProgress {
    private final TrainingConfig recipe;
    private String run = UUID.randomUUID().toString();
    private final List<EpochResult> finished = new ArrayList<>();
    private final List<Double> observed = new ArrayList<>();
    private int epoch;
    private long step;
    private long stepAtEpochStart;
    private Position position;
    private Totals totals;

    RunProgress(TrainingConfig recipe) {
        this.recipe = recipe;
        totals = new Totals(recipe.metrics());
    }

    /** What tells this run from all others; the same for all members. */
    public String run() {
        return run;
    }

    void run(String id) {
        run = id;
    }

    /** Epochs that are done. */
    public int epoch() {
        return epoch;
    }

    /** Updates that are done. */
    public long step() {
        return step;
    }

    long stepOfEpoch() {
        return step - stepAtEpochStart;
    }

    /** Rises with everything the members agree on: who has the highest is the furthest. */
    public long progress() {
        return step + epoch;
    }

    /** The place in the data of the epoch under way; empty at its beginning. */
    public Optional<Position> position() {
        return Optional.ofNullable(position);
    }

    /** Loss and metrics of the epoch under way, of all members. */
    public Totals totals() {
        return totals;
    }

    public List<EpochResult> finished() {
        return finished;
    }

    /** What schedules that look at results have seen. */
    List<Double> observed() {
        return observed;
    }

    void advance(Outcome outcome, Position to) {
        step += outcome.steps();
        totals.addLoss(outcome.loss(), outcome.samples());
        position = to;
    }

    void finishEpoch(EpochResult result) {
        add(result);
        epoch++;
        stepAtEpochStart = step;
        position = null;
        totals = new Totals(recipe.metrics());
    }

    public void restore(Checkpoint.Progress progress, Map<String, NdArray> sums) {
        finished.clear();
        observed.clear();
        totals.restore(sums);
        run = progress.run() == null ? run : progress.run();
        epoch = progress.epoch();
        step = progress.step();
        position = progress.position();
        progress.epochs().forEach(this::add);
        stepAtEpochStart =
                finished.isEmpty() ? 0 : finished.get(finished.size() - 1).steps();
    }

    private void add(EpochResult result) {
        finished.add(result);
        observed.add(result.monitored(recipe.optimizer().schedule().monitor().orElse("loss")));
    }
}
