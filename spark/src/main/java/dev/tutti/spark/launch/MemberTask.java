package dev.tutti.spark.launch;

import dev.tutti.TuttiException;
import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.rpc.CoordinatorLostException;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.data.source.RowSupplies;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.spark.feed.PartitionSupply;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.WorkerTask;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.TaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member of a training, as the Spark task it is: it joins the others, trains until they are done, and leaves. */
final class MemberTask {
    static final String RESULT = "spark-result";
    static final String FAILED = "spark-failed";
    private static final Logger LOG = LoggerFactory.getLogger(MemberTask.class);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final TaskInvitation invitation;
    private final TaskContext context;
    private final int task;
    private final PartitionSupply supply;
    private final String name;

    MemberTask(TaskInvitation invitation, TaskContext context, PartitionSupply supply) {
        this.invitation = invitation;
        this.context = context;
        this.task = context.partitionId();
        this.supply = supply;
        this.name = invitation.name(task, context.attemptNumber() + 100 * context.stageAttemptNumber());
    }

    /** Why a member has failed, for the driver. */
    record Failure(String member, String message) {}

    /** Returns how the member has ended, in words. */
    String run() {
        HostTuning.apply();
        JoinRequest request = JoinRequest.of(invitation.role(task), name)
                .process(name + " of "
                        + JoinRequest.process(ProcessHandle.current().pid()));
        TaskTeam team;
        try {
            team = new TaskTeam(
                    ClusterTeam.join(invitation.address(), request, context.cpus(), Connections::open),
                    invitation.counters());
            LOG.info("{} has joined the training, with {} core(s)", name, context.cpus());
        } catch (RefusedException e) {
            if (e.kind() == RefusedException.Kind.OVER) {
                LOG.info("{}", e.getMessage());
                return name + " came when the training was over";
            }
            throw e;
        }
        try (TaskWatchdog watchdog = new TaskWatchdog(context, team::recall)) {
            if (invitation.role(task).equals(Member.WORKER)) {
                train(team);
            } else {
                RoleProgram.named(invitation.role(task)).run(team, invitation.settings());
            }
            return name + " is done";
        } catch (TaskRecalledException e) {
            LOG.info("{}: {}", name, e.getMessage());
            context.killTaskIfInterrupted();
            throw e;
        } catch (RuntimeException | Error e) {
            context.killTaskIfInterrupted();
            team.failed(e);
            if (!isOfOthers(e)) {
                tellFailure(team, e);
            }
            throw e;
        } finally {
            team.leave();
        }
    }

    /** Whether another member's or the driver's loss ended this one: Spark starts it again, and it joins. */
    private static boolean isOfOthers(Throwable e) {
        return e instanceof GroupChangedException || e instanceof CoordinatorLostException;
    }

    private Member driver() {
        return new Member(SparkTraining.DRIVER, invitation.driverHost(), SparkTraining.DRIVER);
    }

    private void tellFailure(Team team, Throwable why) {
        String text = why instanceof TuttiException
                ? why.getMessage()
                : why.getClass().getSimpleName() + ": " + why.getMessage();
        try {
            ask(team, FAILED, new Failure(name, text));
        } catch (RuntimeException e) {
            LOG.debug("the driver could not be told", e);
        }
    }

    private void ask(Team team, String topic, Object what) {
        try {
            team.messages()
                    .ask(driver(), topic, Message.of(Json.write(what)), LIMIT)
                    .get(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                    .close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TaskRecalledException("interrupted while the driver was told of " + topic);
        } catch (ExecutionException | TimeoutException e) {
            throw new TuttiException("the driver could not be told of " + topic + ": " + e.getMessage(), e);
        }
    }

    private void train(TaskTeam team) {
        supply.connect(team, driver());
        try (ScratchFolder scratch = ScratchFolder.create(name);
                RowSupplies.Installed installed = RowSupplies.forThread(supply)) {
            WorkerTask work = invitation.assignment();
            List<CallbackState> states =
                    invitation.callbacks().stream().map(CallbackState::new).toList();
            DriverLink link = new DriverLink(() -> team, driver(), scratch.path(), states);
            Fit fit = Fit.epochs(work.fit().epochs())
                    .accumulate(work.fit().accumulate())
                    .with(work.fit().strategy())
                    .on(new TaskPlace(team))
                    .until(link::isInterrupted)
                    .callbacks(link)
                    .callbacks(states.toArray(Callback[]::new))
                    .quiet();
            fit = work.fit().validation().map(fit::validate).orElse(fit);
            Path begin = scratch.path().resolve("start");
            invitation.start().writeTo(begin);
            boolean weights = invitation.start().hasWeights();
            fit = weights || invitation.start().isEmpty() ? fit : fit.resume(begin);
            try (Trainer trainer = Trainer.of(work.model(), work.config()).cores(context.cpus())) {
                if (weights) {
                    SavedModel.readWeights(trainer.build(work.data()), begin.resolve(StartFiles.WEIGHTS));
                }
                History history = trainer.fit(work.data(), fit);
                if (link.isChief()) {
                    requireWhole(trainer.model());
                    Path file = scratch.path().resolve(StartFiles.WEIGHTS);
                    SavedModel.writeWeights(trainer.model(), file);
                    FileTransfer.send(team.messages(), driver(), file);
                    ask(team, RESULT, history);
                }
            }
        }
    }

    /** A strategy whose members hold parts leaves the whole model to the chief where it fits. */
    private static void requireWhole(Model model) {
        if (!model.plan().isWhole()) {
            throw new TrainingException(
                    "the whole model does not fit into the memory of the first member, so the driver"
                            + " cannot get it: save checkpoints, which hold all parts");
        }
    }

    /** Where a task trains: in the team that it has joined. */
    private record TaskPlace(Team team) implements Launcher {
        @Override
        public Team assemble(WorkerTask work) {
            return team;
        }
    }
}
