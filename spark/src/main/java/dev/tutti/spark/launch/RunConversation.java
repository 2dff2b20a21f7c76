package dev.tutti.spark.launch;

import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.RemoteTraining;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The driver's side of what it and the chief tell each other: callbacks run on the thread that called {@code fit}, one report at a time.
 * A chief that is lost in the middle is followed by another, which begins anew and is asked for what the first one owed. Callbacks hear
 * of every epoch once: one whose chief was lost before it had reported it is told with the next report of another chief.
 */
final class RunConversation {
    private static final long LONGEST_DEMAND_NANOS = TimeUnit.MINUTES.toNanos(3);

    private record Turn(RunReport report, CompletableFuture<Message> answer) {}

    private final BlockingQueue<Turn> turns = new LinkedBlockingQueue<>();
    private final Fit fit;
    private final List<Callback> callbacks;
    private final Path inbox;
    private final BooleanSupplier membersGone;
    private final DriverRun run;
    private CompletableFuture<Message> open; // of the report that callbacks are told of
    private int epochsTold;
    private boolean begun;
    private boolean ended;
    private RuntimeException failure;

    /** @param membersGone whether nothing will be reported any more */
    RunConversation(RemoteTraining training, Path inbox, BooleanSupplier membersGone) {
        this.fit = training.fit();
        this.callbacks = fit.callbacks();
        this.inbox = inbox;
        this.membersGone = membersGone;
        this.run = new DriverRun(training, inbox, this);
    }

    MessageHandler handler() {
        return request -> {
            CompletableFuture<Message> answer = new CompletableFuture<>();
            turns.add(new Turn(Json.read(request.message().text(), RunReport.class, "the chief's report"), answer));
            return answer;
        };
    }

    /** What a callback has failed with; null if none has. */
    RuntimeException failure() {
        return failure;
    }

    String stopReason() {
        return run.stopReason();
    }

    /** Tells callbacks of the next report, if one comes within some milliseconds. */
    void serve(long millis) throws InterruptedException {
        Turn turn = turns.poll(millis, TimeUnit.MILLISECONDS);
        if (turn == null) {
            return;
        }
        open = turn.answer;
        run.at(turn.report);
        boolean needsState = false;
        try {
            tell(turn.report);
            needsState = !ended && needsState();
        } catch (RuntimeException e) {
            failure = e;
        }
        Map<String, Map<String, Double>> states = new HashMap<>();
        callbacks.forEach(callback -> states.put(callback.name(), callback.state()));
        open.complete(Message.of(Json.write(new DriverReply(
                null,
                run.stopReason(),
                run.takeSettings(),
                fit.interrupted().getAsBoolean(),
                needsState,
                failure == null ? null : String.valueOf(failure.getMessage()),
                states))));
    }

    private boolean needsState() {
        boolean needed = false;
        for (Callback callback : callbacks) {
            needed |= callback.needsState(run);
        }
        return needed;
    }

    private void tell(RunReport report) {
        switch (report.kind()) {
            case BEGIN -> begin(report);
            case STEP -> {
                tellEpochs(report.finished());
                callbacks.forEach(callback -> callback.step(run));
            }
            case EPOCH -> {
                tellEpochs(report.finished());
                tellEpochs(List.of(report.result()));
            }
            case END -> {
                tellEpochs(report.finished());
                end(null);
            }
            case MET -> throw new TrainingException("a member sent what no callback had asked for");
        }
    }

    private void tellEpochs(List<EpochResult> results) {
        for (EpochResult result : results) {
            if (result.epoch() > epochsTold) {
                epochsTold = result.epoch();
                callbacks.forEach(callback -> callback.epoch(run, result));
            }
        }
    }

    /** Another chief begins too; callbacks do so once. Epochs that ended before the run was resumed are not told. */
    private void begin(RunReport report) {
        if (begun) {
            return;
        }
        begun = true;
        epochsTold =
                report.finished().stream().mapToInt(EpochResult::epoch).max().orElse(0);
        for (Callback callback : callbacks) {
            Map<String, Double> state =
                    report.restored() == null ? null : report.restored().get(callback.name());
            if (state != null) {
                callback.restore(state);
            }
            callback.begin(run);
        }
    }

    /** Training is over: every callback hears of it once. */
    void end(Throwable why) {
        if (ended || !run.hasBegun()) {
            return;
        }
        ended = true;
        RuntimeException later = null;
        for (Callback callback : callbacks) {
            try {
                callback.end(run, Optional.ofNullable(why));
            } catch (RuntimeException e) {
                later = later == null ? e : later;
            }
        }
        if (later != null && why == null) {
            throw later;
        }
        if (later != null) {
            why.addSuppressed(later);
        }
    }

    /** Asks the chief for something, whose files are in the inbox afterwards. */
    void demand(DriverReply.Demand demand) {
        if (open.isDone()) {
            throw new TrainingException("the members are gone: their state cannot be had any more");
        }
        long deadline = System.nanoTime() + LONGEST_DEMAND_NANOS;
        clearInbox();
        open.complete(Message.of(Json.write(DriverReply.demand(demand))));
        while (System.nanoTime() < deadline && !membersGone.getAsBoolean()) {
            Turn turn;
            try {
                turn = turns.poll(100, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TrainingException("interrupted while a member sent its state", e);
            }
            if (turn == null) {
                continue;
            }
            open = turn.answer;
            run.at(turn.report);
            if (turn.report.kind() == RunReport.Kind.MET) {
                if (turn.report.failure() != null) {
                    throw new TrainingException(turn.report.failure());
                }
                return;
            }
            clearInbox(); // the chief was lost: the next one is asked for the same
            open.complete(Message.of(Json.write(DriverReply.demand(demand))));
        }
        throw new TrainingException("no member sent the " + demand + " that a callback asked for");
    }

    /** The same, with its files in a folder of their own. */
    ScratchFolder files(DriverReply.Demand demand) {
        demand(demand);
        ScratchFolder arrived = ScratchFolder.create("arrived");
        try (Stream<Path> files = Files.list(inbox)) {
            for (Path file : files.toList()) {
                Files.move(file, arrived.path().resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            arrived.close();
            throw new FileException(inbox.toString(), "cannot be read: " + e.getMessage(), e);
        }
        return arrived;
    }

    private void clearInbox() {
        try (Stream<Path> files = Files.list(inbox)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new FileException(inbox.toString(), "cannot be emptied: " + e.getMessage(), e);
        }
    }
}
