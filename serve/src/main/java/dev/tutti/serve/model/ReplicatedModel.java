package dev.tutti.serve.model;

import dev.tutti.array.NdArray;
import dev.tutti.nn.Model;
import dev.tutti.serve.batch.BatchFunction;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Evaluator;
import dev.tutti.train.checkpoint.ModelDescription;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A model in this process: replicas that share its parameters. */
final class ReplicatedModel implements LoadedModel {
    private final ModelDescription description;
    private final List<Model> replicas = new ArrayList<>();
    private final int threads;

    private ReplicatedModel(SavedModel saved, int count, int threads) {
        this.threads = threads;
        description = saved.description();
        for (int i = 0; i < count; i++) {
            Model replica = i == 0 ? saved.model() : saved.model().replica();
            replica.training(false);
            replicas.add(replica);
        }
    }

    static ReplicatedModel load(Path folder, ServingSettings settings) {
        SavedModel saved = SavedModel.load(
                folder, Model.Options.DEFAULT.precision(settings.precision()).forInference());
        try {
            return new ReplicatedModel(saved, settings.replicas(), settings.threads());
        } catch (RuntimeException | Error e) {
            saved.close();
            throw e;
        }
    }

    @Override
    public ModelDescription description() {
        return description;
    }

    @Override
    public List<BatchFunction> functions() {
        List<BatchFunction> functions = new ArrayList<>();
        replicas.forEach(replica -> functions.add(inputs -> compute(replica, inputs)));
        return functions;
    }

    private List<NdArray> compute(Model replica, List<NdArray> inputs) {
        Engine.useThreads(threads);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            return Evaluator.arrays(
                    replica.forward(inputs.stream().map(Tensor::of).toList()));
        }
    }

    @Override
    public void close() {
        for (int i = replicas.size() - 1; i >= 0; i--) {
            replicas.get(i).close();
        }
    }
}
