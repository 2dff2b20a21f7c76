package dev.tutti.train.checkpoint;

import dev.tutti.array.NdArray;
import dev.tutti.json.Json;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.RunProgress;
import dev.tutti.train.RuntimeSettings;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.replica.Replica;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Takes all of a run into a {@link Checkpoint} and puts it back: from disk after an interruption, from another member's memory. */
public final class StateSnapshot {
    private final Replica replica;
    private final TrainingConfig recipe;
    private final AveragedWeights averaged;
    private final RunProgress standing;
    private final RuntimeSettings tuning;
    private final List<Callback> callbacks;

    public StateSnapshot(
            Replica replica,
            TrainingConfig recipe,
            AveragedWeights averaged,
            RunProgress standing,
            RuntimeSettings tuning,
            List<Callback> callbacks) {
        this.replica = replica;
        this.recipe = recipe;
        this.averaged = averaged;
        this.standing = standing;
        this.tuning = tuning;
        this.callbacks = callbacks;
    }

    public Checkpoint take() {
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        replica.model().arrays().forEach((name, array) -> arrays.put("model." + name, array));
        try (Scope scope = Scope.open()) {
            state().forEach((name, tensor) -> arrays.put(name, tensor.toArray()));
        }
        standing.totals().snapshot().forEach((name, array) -> arrays.put("totals." + name, array));
        Map<String, Map<String, Double>> remembered = new LinkedHashMap<>();
        callbacks.forEach(callback -> remembered.put(callback.name(), callback.state()));
        return new Checkpoint(
                arrays,
                new Checkpoint.Progress(
                        standing.run(),
                        standing.epoch(),
                        standing.step(),
                        standing.position(),
                        Json.write(recipe),
                        remembered,
                        tuning.settings(),
                        replica.model().frozen(),
                        List.copyOf(standing.finished())));
    }

    /** The tensors beside the model that the next step depends on. */
    private Map<String, Tensor> state() {
        Map<String, Tensor> state = new LinkedHashMap<>();
        replica.state().forEach((name, tensor) -> state.put("optimizer." + name, tensor));
        averaged.state().forEach((name, tensor) -> state.put("average." + name, tensor));
        return state;
    }

    /** Goes on from a checkpoint of this run. */
    public void resume(Checkpoint checkpoint) {
        requireSameRecipe(checkpoint.progress());
        goBack(checkpoint);
        tuning.resume(checkpoint.progress().settings());
    }

    /** Goes back to where this run was before. */
    public void goBack(Checkpoint checkpoint) {
        takeOver(checkpoint);
        callbacks.forEach(callback -> {
            Map<String, Double> state = checkpoint.progress().callbacks().get(callback.name());
            if (state != null) {
                callback.restore(state);
            }
        });
    }

    /** Takes over where another member is. */
    public void takeOver(Checkpoint checkpoint) {
        Map<String, NdArray> arrays = checkpoint.arrays();
        replica.model().load(under("model.", arrays), "the checkpoint");
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            state().forEach((name, tensor) -> tensor.copy_(Tensor.of(required(name, arrays))));
        }
        standing.restore(checkpoint.progress(), under("totals.", arrays));
        replica.model().freezeOnly(checkpoint.progress().frozen());
        tuning.takeOver(checkpoint.progress().settings());
    }

    private static NdArray required(String name, Map<String, NdArray> arrays) {
        NdArray array = arrays.get(name);
        if (array == null) {
            throw new TrainingException(
                    "the checkpoint has no '" + name + "', which this run needs to go on: it was made"
                            + " under another strategy; choose that one, or another folder to begin anew");
        }
        return array;
    }

    private void requireSameRecipe(Checkpoint.Progress progress) {
        String now = Json.write(recipe);
        if (!now.equals(progress.recipe())) {
            throw new TrainingException(
                    "the checkpoint was made with other settings, so the run cannot go on from it: it had "
                            + progress.recipe() + ", now there is " + now + "; choose another folder to begin anew");
        }
    }

    private static Map<String, NdArray> under(String prefix, Map<String, NdArray> arrays) {
        Map<String, NdArray> out = new LinkedHashMap<>();
        arrays.forEach((name, array) -> {
            if (name.startsWith(prefix)) {
                out.put(name.substring(prefix.length()), array);
            }
        });
        return out;
    }
}
