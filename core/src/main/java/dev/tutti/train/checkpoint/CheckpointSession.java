package dev.tutti.train.checkpoint;

import dev.tutti.comm.Team;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import dev.tutti.nn.Slice;
import dev.tutti.optim.MovingAverage;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import dev.tutti.train.replica.Agreement;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Saves checkpoints and the model of a run: one file where a member holds all of the state; else each member writes the part that it was
 * assigned, at the same time, and the chief the manifest when all parts are on disk.
 *
 * <p>The chief's callbacks decide when to save. Where the state is divided, all members enter {@link #during} together: the chief runs
 * its callbacks there, and the others write their parts of the checkpoints that those save.
 */
public final class CheckpointSession {
    private final Team team;
    private final Agreement agreement;
    private final StateSnapshot state;
    private boolean open;

    public CheckpointSession(Team team, Agreement agreement, StateSnapshot state) {
        this.team = team;
        this.agreement = agreement;
        this.state = state;
    }

    /**
     * What the chief asks of the others.
     *
     * @param model whether the weights of the model are written, instead of a checkpoint
     * @param folder where it is written
     * @param step its step
     * @param writing tells its parts from those of other attempts
     */
    record Order(boolean model, String folder, long step, String writing) {}

    private boolean needsOthers() {
        return team.group().size() > 1 && state.isDivided();
    }

    /**
     * Runs what may save checkpoints. All members call it together, whether or not the work does anything on them.
     *
     * @param wanted whether any may be saved; the same on all members
     */
    public void during(boolean wanted, Runnable work) {
        if (!wanted || !needsOthers()) {
            work.run();
            return;
        }
        if (team.group().isChief()) {
            open = true;
            try {
                work.run();
            } finally {
                open = false;
            }
            agreement.text("checkpoint to save", () -> "", 0);
            return;
        }
        String order = nextOrder();
        while (!order.isEmpty()) {
            write(Json.read(order, Order.class, "the chief's order"));
            order = nextOrder();
        }
        work.run();
    }

    private void write(Order order) {
        try (MovingAverage.Swap swap = order.model ? state.swapInAverage() : () -> {}) {
            new PartWriter(team, agreement, state, order).write();
        }
    }

    private String nextOrder() {
        return agreement.text("checkpoint to save", () -> "", 0);
    }

    /**
     * Saves a checkpoint of now, then deletes all but the newest few.
     *
     * @return its file, or its manifest
     * @throws TrainingException if the state is divided among the members and they are not {@linkplain #during ready} for it
     */
    public Path save(Path folder, int keep) {
        CheckpointFolder files = new CheckpointFolder(folder);
        Path written = needsOthers() ? saveTogether(folder) : saveAlone(files);
        files.keep(keep, written);
        return written;
    }

    private Path saveAlone(CheckpointFolder files) {
        ProgressMessage message = state.message();
        Path file = files.single(message.progress().step());
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        try (Scope scope = Scope.open()) {
            for (Map.Entry<Slice, Tensor> each : state.held().entrySet()) {
                tensors.put(each.getKey().parameter(), each.getValue());
            }
            TensorFile.write(file, tensors, Map.of(Checkpoint.NOTE, Json.write(message.progress())));
        }
        return file;
    }

    private Path saveTogether(Path folder) {
        return order(false, folder);
    }

    /** Whether other members hold parts of the model, so that it is {@linkplain #saveWeights saved} by all of them. */
    public boolean modelIsDivided() {
        return team.group().size() > 1 && state.modelIsDivided();
    }

    /**
     * Writes the weights of the model as they are now into the folder of a saved model, each member what it holds.
     *
     * @throws TrainingException if the members are not {@linkplain #during ready} for it
     */
    public void saveWeights(Path folder) {
        order(true, folder);
    }

    private Path order(boolean model, Path folder) {
        if (!open) {
            throw new TrainingException(
                    "the state is divided among the members, which save their parts at the end of an"
                            + " epoch, at the end of training, and at steps that a callback has asked for with"
                            + " Callback.needsState: a " + (model ? "model" : "checkpoint")
                            + " was wanted at another one");
        }
        Order order = new Order(
                model,
                folder.toAbsolutePath().toString(),
                state.message().progress().step(),
                PartWriter.newName());
        agreement.text("checkpoint to save", () -> Json.write(order), 0);
        return new PartWriter(team, agreement, state, order).write();
    }
}
