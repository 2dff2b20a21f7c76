package dev.tutti.federated.server;

import dev.tutti.data.Dataset;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.SharedParameters;
import dev.tutti.nn.Model;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Evaluator;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The server's built model: for the first parameters, evaluation on the server's own rows, and saving. */
final class ServerModel implements AutoCloseable {
    private final FederatedJob job;
    private final Model model;
    private final SharedParameters shared;
    private final Optional<Dataset> validation;

    ServerModel(FederatedJob job) {
        this.job = job;
        this.model = job.build();
        this.shared = SharedParameters.of(model, job.personal());
        this.validation = job.data().flatMap(data -> data.validation());
    }

    SharedParameters shared() {
        return shared;
    }

    float[] first() {
        return shared.read(model);
    }

    Optional<Evaluation> evaluate(float[] values) {
        shared.write(values, model);
        return validation.map(rows ->
                Evaluator.evaluate(model, job.loss(), job.metrics(), rows).value());
    }

    void save(float[] values, Path folder, Evaluation evaluation) {
        shared.write(values, model);
        SavedModel.write(
                folder,
                model,
                new SavedModel.Features(List.of(), List.of()),
                evaluation,
                SavedModel.Made.now("clients of " + job.name(), job.rounds(), job.config()));
    }

    @Override
    public void close() {
        model.close();
    }
}
