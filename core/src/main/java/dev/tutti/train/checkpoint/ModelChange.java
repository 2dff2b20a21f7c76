package dev.tutti.train.checkpoint;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Totals;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Lets a run go on with another model from the end of an epoch. Parameters of the same name and shape keep their values and what the optimizer
 * remembers of them; the others begin as in the new model.
 */
public final class ModelChange {
    private static final String MODEL = "model.";
    private static final String OPTIMIZER = "optimizer.";

    private final Checkpoint checkpoint;
    private final Model before;
    private final Model after;
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();

    private ModelChange(Checkpoint checkpoint, Model before, Model after) {
        this.checkpoint = checkpoint;
        this.before = before;
        this.after = after;
    }

    /**
     * Writes a checkpoint for the new model from the newest one at the end of an epoch; where there is none, from the newest, and the epoch
     * under way begins again.
     *
     * @param from the checkpoints of the run
     * @param before the model that they belong to
     * @param after the new model with its first values
     * @param recipe that of the new model's training
     * @param to a folder without checkpoints
     * @return the names of the parameters that begin anew
     * @throws TrainingException if the optimizer or the strategy has state that does not belong to parameters, or there is no checkpoint
     */
    public static List<String> write(Path from, Model before, Model after, TrainingConfig recipe, Path to) {
        List<Checkpoint> all = new ArrayList<>();
        new CheckpointFolder(from).files().forEach(file -> all.add(Checkpoint.open(file)));
        if (all.isEmpty()) {
            throw new TrainingException("expected a checkpoint in " + from + " to go on from with another model");
        }
        Checkpoint newest = all.get(all.size() - 1);
        for (Checkpoint each : all) {
            newest = each.progress().position() == null ? each : newest;
        }
        return new ModelChange(newest, before, after).write(recipe, new CheckpointFolder(to));
    }

    private List<String> write(TrainingConfig recipe, CheckpointFolder to) {
        Checkpoint.Progress was = checkpoint.progress();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<String> anew = takeModel();
            for (String name : checkpoint.names()) {
                if (name.startsWith(OPTIMIZER)) {
                    tensors.put(name, state(name));
                } else if (!name.startsWith(MODEL) && !name.startsWith(Checkpoint.TOTALS)) {
                    throw new TrainingException(
                            "a run that keeps '" + name + "' cannot go on with another model: expected"
                                    + " neither a moving average of the weights nor tables");
                }
            }
            for (Map.Entry<String, NdArray> sum :
                    new Totals(recipe.metrics()).snapshot().entrySet()) {
                tensors.put(Checkpoint.TOTALS + sum.getKey(), Tensor.of(sum.getValue()));
            }
            Checkpoint.Progress now = new Checkpoint.Progress(
                    was.run(),
                    was.epoch(),
                    was.step(),
                    null,
                    Json.write(recipe),
                    was.callbacks(),
                    settings(was.settings()),
                    frozen(was.frozen()),
                    was.epochs());
            TensorFile.write(to.single(was.step()), tensors, Map.of(Checkpoint.NOTE, Json.write(now)));
            return anew;
        }
    }

    /** Without the choice among tasks that were there before. */
    private static Map<String, String> settings(Map<String, String> was) {
        Map<String, String> kept = new HashMap<>(was);
        kept.remove("tasks");
        return kept;
    }

    private List<String> takeModel() {
        List<String> anew = new ArrayList<>();
        for (Map.Entry<Slice, Tensor> each : after.held().entrySet()) {
            Slice slice = each.getKey();
            String name = MODEL + slice.parameter();
            boolean kept =
                    checkpoint.names().contains(name) && checkpoint.shape(name).equals(slice.whole());
            Tensor value = each.getValue().copy();
            if (kept) {
                checkpoint.read(slice.named(name), value);
            } else {
                anew.add(slice.parameter());
            }
            tensors.put(name, value);
        }
        return anew;
    }

    /** A vector of the optimizer's with the elements of all parameters that were there before; zero for the others, as at the beginning. */
    private Tensor state(String name) {
        Shape shape = checkpoint.shape(name);
        Tensor was = Tensor.empty(shape, checkpoint.type(name));
        checkpoint.read(Slice.all(name, shape), was);
        if (shape.size() <= 1) {
            return was;
        }
        if (shape.rank() != 1 || shape.size() != before.vector().size()) {
            throw new TrainingException("a run whose strategy keeps '" + name.substring(OPTIMIZER.length())
                    + "' of shape " + shape + " cannot go on with another model: expected state of parameters only");
        }
        Map<String, Range> places = new HashMap<>();
        before.parameters().forEach(parameter -> places.put(parameter.name(), parameter.range()));
        Tensor now = Tensor.zeros(Shape.of(after.vector().size()), was.type());
        for (Parameter parameter : after.parameters()) {
            Range old = places.get(parameter.name());
            String value = MODEL + parameter.name();
            if (old != null
                    && old.length() == parameter.range().length()
                    && checkpoint.names().contains(value)
                    && checkpoint.shape(value).equals(parameter.shape())) {
                now.narrow(0, parameter.range().from(), old.length()).copy_(was.narrow(0, old.from(), old.length()));
            }
        }
        return now;
    }

    private Set<String> frozen(Set<String> was) {
        Set<String> all = new TreeSet<>(after.frozen());
        after.parameters().stream().map(Parameter::name).filter(was::contains).forEach(all::add);
        return all;
    }
}
