package dev.tutti.train.checkpoint;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import dev.tutti.nn.Slice;
import dev.tutti.optim.MovingAverage;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.RunProgress;
import dev.tutti.train.RuntimeSettings;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.Replica;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * All of a run's state on this member: what it holds, named as checkpoints name it, and how it is put back, from a checkpoint or from
 * another member's memory.
 */
public final class StateSnapshot {
    private final Replica replica;
    private final TrainingConfig recipe;
    private final AveragedWeights averaged;
    private final RunProgress runProgress;
    private final RuntimeSettings tuning;
    private final List<Callback> callbacks;

    public StateSnapshot(
            Replica replica,
            TrainingConfig recipe,
            AveragedWeights averaged,
            RunProgress runProgress,
            RuntimeSettings tuning,
            List<Callback> callbacks) {
        this.replica = replica;
        this.recipe = recipe;
        this.averaged = averaged;
        this.runProgress = runProgress;
        this.tuning = tuning;
        this.callbacks = callbacks;
    }

    /** Where the run stands: all of its state but the tensors. */
    public ProgressMessage message() {
        Map<String, Map<String, Double>> remembered = new LinkedHashMap<>();
        callbacks.forEach(callback -> remembered.put(callback.name(), callback.state()));
        Map<String, long[]> totals = new LinkedHashMap<>();
        runProgress.totals().snapshot().forEach((name, array) -> totals.put(name, array.longs()));
        return new ProgressMessage(
                new Checkpoint.Progress(
                        runProgress.run(),
                        runProgress.epoch(),
                        runProgress.step(),
                        runProgress.position().orElse(null),
                        Json.write(recipe),
                        remembered,
                        tuning.settings(),
                        replica.model().frozenInWhole(),
                        List.copyOf(runProgress.finished())),
                totals);
    }

    /** Whether members hold different parts of the state; the same on all of them. */
    public boolean isDivided() {
        return sections().values().stream().anyMatch(HeldState::isDivided);
    }

    /** Parts of the state by what their names begin with. */
    private Map<String, HeldState> sections() {
        Map<String, HeldState> sections = new LinkedHashMap<>();
        sections.put("model.", new ModelState(replica.model(), runProgress));
        sections.put("optimizer.", replica.state());
        sections.put(
                "average.",
                replica.model().plan().isWhole() || averaged.state().isEmpty()
                        ? HeldState.whole(averaged.state())
                        : new PartState(replica.model(), averaged.state(), runProgress::progress));
        return sections;
    }

    /** Does something with each part of the state that is divided among the members. */
    public void forEachDivided(Consumer<HeldState> work) {
        sections().values().stream().filter(HeldState::isDivided).forEach(work);
    }

    /** The slices that all members hold, in the same order on each; they belong to the open scope. */
    public Map<Slice, Tensor> replicated() {
        Map<Slice, Tensor> all = new LinkedHashMap<>();
        sections().forEach((prefix, section) -> {
            if (!section.isDivided()) {
                section.held().forEach((slice, tensor) -> all.put(named(prefix, slice), tensor));
            }
        });
        return all;
    }

    /** What this member can give to a checkpoint; the slices belong to the open scope. */
    Map<Slice, Tensor> held() {
        Map<Slice, Tensor> all = new LinkedHashMap<>();
        sections()
                .forEach((prefix, section) ->
                        section.held().forEach((slice, tensor) -> all.put(named(prefix, slice), tensor)));
        runProgress.totals().snapshot().forEach((name, array) -> {
            Slice slice = Slice.all(Checkpoint.TOTALS + name, array.shape());
            all.put(slice, Tensor.of(array));
        });
        replica.model()
                .tables()
                .named(true)
                .forEach((name, tensor) -> all.put(Slice.all(name, tensor.shape()), tensor));
        return all;
    }

    /** What this member holds of the model; the slices belong to the open scope. */
    Map<Slice, Tensor> weights() {
        return replica.model().held();
    }

    boolean modelIsDivided() {
        return !replica.model().plan().isWhole();
    }

    /** Gives the model the averaged weights, which are those that are saved, until it is closed. */
    MovingAverage.Swap swapInAverage() {
        return averaged.swapIn();
    }

    private static Slice named(String prefix, Slice slice) {
        return slice.named(prefix + slice.parameter());
    }

    /**
     * Begins where a checkpoint of this run ends. Parts that are divided among the members are read when the members have met.
     *
     * @throws TrainingException if it was made with other settings, or does not hold what this run needs
     */
    public void resume(Checkpoint checkpoint) {
        requireSameRecipe(checkpoint.progress());
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            replicated().forEach(checkpoint::read);
            readTables(checkpoint.names(), checkpoint::shape, checkpoint::type, room -> room.forEach(checkpoint::read));
        }
        takeOver(checkpoint.message());
        restoreCallbacks(checkpoint.progress());
        tuning.resume(checkpoint.progress().settings());
    }

    /** The rows of tables that a checkpoint holds; their number is the checkpoint's. */
    private void readTables(
            Set<String> names,
            Function<String, Shape> shapes,
            Function<String, DType> types,
            Consumer<Map<Slice, Tensor>> reader) {
        replica.model().tables().restore(names, name -> {
            Tensor all = Tensor.empty(shapes.apply(name), types.apply(name));
            reader.accept(Map.of(Slice.all(name, all.shape()), all));
            return all;
        });
    }

    /**
     * Goes back to where this run was before: all of the state is written.
     *
     * @param checkpoint whose slices are written
     */
    public void goBack(ProgressMessage message, SharedCheckpoint checkpoint) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<Slice, Tensor> room = new LinkedHashMap<>();
            sections()
                    .forEach((prefix, section) ->
                            section.makeRoom().forEach((slice, tensor) -> room.put(named(prefix, slice), tensor)));
            checkpoint.read(room);
            readTables(checkpoint.names(), checkpoint::shape, checkpoint::type, checkpoint::read);
        }
        forEachDivided(section -> section.adopt(message.progress().step()));
        takeOver(message);
        restoreCallbacks(message.progress());
    }

    private void restoreCallbacks(Checkpoint.Progress progress) {
        callbacks.forEach(callback -> {
            Map<String, Double> state = progress.callbacks().get(callback.name());
            if (state != null) {
                callback.restore(state);
            }
        });
    }

    /** The tensors have been written: takes over where they belong to. */
    public void takeOver(ProgressMessage message) {
        Map<String, NdArray> sums = message.sums();
        runProgress.restore(message.progress(), sums);
        replica.model().freezeOnly(message.progress().frozen());
        tuning.takeOver(message.progress().settings());
    }

    private void requireSameRecipe(Checkpoint.Progress progress) {
        String now = Json.write(recipe);
        if (!now.equals(progress.recipe())) {
            throw new TrainingException(
                    "the checkpoint was made with other settings, so the run cannot go on from it: it had "
                            + progress.recipe() + ", now there is " + now + "; choose another folder to begin anew");
        }
    }
}
