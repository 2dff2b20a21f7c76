package dev.tutti.spark.launch;

import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.Messages;
import dev.tutti.comm.Team;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The chief's way to the callbacks of the driver. Epochs, the beginning and the end wait for them; steps do not: the next one that is
 * told is the first after the driver has answered, so a slow driver hears of some steps only.
 *
 * <p>The driver may answer with a demand: the chief then sends what is demanded and reports again, until the callbacks are done.
 */
final class DriverLink implements Callback {
    static final String TOPIC = "spark-run";
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private final Supplier<Team> team;
    private final Member driver;
    private final Path scratch;
    private final List<CallbackState> states;
    private CompletableFuture<Message> told; // a step that the driver has not answered yet
    private boolean stateDue;
    private boolean chief;
    private volatile boolean interrupted;

    /** @param scratch a folder of this task alone */
    DriverLink(Supplier<Team> team, Member driver, Path scratch, List<CallbackState> states) {
        this.team = team;
        this.driver = driver;
        this.scratch = scratch;
        this.states = states;
    }

    /** Whether the user wants the training to end and to go on later. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** Whether this member was the chief when training ended. */
    boolean isChief() {
        return chief;
    }

    @Override
    public void begin(Run run) {
        Map<String, Map<String, Double>> restored = new HashMap<>();
        states.stream()
                .filter(state -> state.restored() != null)
                .forEach(state -> restored.put(state.name(), state.restored()));
        converse(run, RunReport.of(RunReport.Kind.BEGIN, run).restored(restored));
    }

    @Override
    public boolean needsState(Run run) {
        return stateDue;
    }

    @Override
    public void step(Run run) {
        if (told != null && told.isDone()) {
            follow(run, take(told));
            told = null;
        }
        if (stateDue) {
            stateDue = false;
            converse(run, RunReport.of(RunReport.Kind.STEP, run));
        } else if (told == null) {
            told = ask(RunReport.of(RunReport.Kind.STEP, run));
        }
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        converse(run, RunReport.of(RunReport.Kind.EPOCH, run).result(result));
    }

    @Override
    public void end(Run run, Optional<Throwable> failure) {
        chief = run.isChief();
        if (failure.isEmpty()) {
            converse(run, RunReport.of(RunReport.Kind.END, run));
        }
    }

    private void converse(Run run, RunReport report) {
        if (told != null) {
            follow(run, take(told));
            told = null;
        }
        follow(run, take(ask(report)));
    }

    private CompletableFuture<Message> ask(RunReport report) {
        return messages().ask(driver, TOPIC, Message.of(Json.write(report)), LIMIT);
    }

    private Messages messages() {
        return team.get().messages();
    }

    private static DriverReply take(CompletableFuture<Message> answer) {
        try (Message message = answer.get(LIMIT.toMillis() + 1000, TimeUnit.MILLISECONDS)) {
            return Json.read(message.text(), DriverReply.class, "the driver's answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted while the driver's callbacks ran", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupChangedException changed) {
                throw changed;
            }
            throw new TrainingException(
                    "the driver did not answer: " + e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
            throw new TrainingException("the driver did not answer within " + LIMIT.toSeconds() + " s", e);
        }
    }

    /** Does what the driver wants, until its callbacks are done. */
    private void follow(Run run, DriverReply first) {
        DriverReply reply = first;
        while (reply.demand() != null) {
            String failure = null;
            try {
                meet(run, reply.demand());
            } catch (FileException e) {
                failure = e.getMessage();
            }
            reply = take(ask(RunReport.of(RunReport.Kind.MET, run).failure(failure)));
        }
        for (CallbackState state : states) {
            state.remember(reply.states().getOrDefault(state.name(), Map.of()));
        }
        reply.settings().forEach(setting -> run.configure(setting.key(), setting.value()));
        interrupted |= reply.interrupted();
        stateDue |= reply.needsState();
        if (reply.stop() != null) {
            run.stop(reply.stop());
        }
        if (reply.error() != null) {
            throw new TrainingException(reply.error());
        }
    }

    private void meet(Run run, DriverReply.Demand demand) {
        try {
            Path folder = Files.createTempDirectory(scratch, "demand");
            switch (demand) {
                case CHECKPOINT -> {
                    run.saveCheckpoint(folder, 1);
                    requireWhole(folder);
                    send(folder);
                }
                case WEIGHTS -> {
                    requireWholeModel(run);
                    SavedModel.writeWeights(run.model(), folder.resolve("weights.safetensors"));
                    send(folder);
                }
                case MODEL -> {
                    requireWholeModel(run);
                    run.saveModel(folder.resolve("model"));
                    FileTransfer.send(messages(), driver, folder.resolve("model/weights.safetensors"));
                }
            }
            ScratchFolder.delete(folder);
        } catch (IOException e) {
            throw new FileException(scratch.toString(), "cannot be written: " + e.getMessage(), e);
        }
    }

    private static void requireWholeModel(Run run) {
        if (!run.model().plan().isWhole()) {
            throw new FileException(
                    "the model",
                    "is divided among the members: callbacks get checkpoints of it, and the model at the end");
        }
    }

    /** Parts that members of other machines wrote are not here. */
    private static void requireWhole(Path folder) {
        if (new CheckpointFolder(folder).newest().isEmpty()) {
            throw new FileException(folder.toString(), "the checkpoint is not whole: its parts are on other machines");
        }
    }

    private void send(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            files.sorted().forEach(file -> FileTransfer.send(messages(), driver, file));
        }
    }
}
