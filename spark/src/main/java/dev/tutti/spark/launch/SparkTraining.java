package dev.tutti.spark.launch;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.HostedCoordinator;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RoleRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.Messages;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.connection.Connections;
import dev.tutti.json.Json;
import dev.tutti.spark.SparkCluster;
import dev.tutti.spark.feed.PartRegistry;
import dev.tutti.spark.feed.PartitionSupply;
import dev.tutti.train.History;
import dev.tutti.train.RemoteTraining;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A training as the driver sees it: a coordinator, one Spark job whose tasks are the members, and the callbacks, which run on the
 * calling thread.
 */
final class SparkTraining {
    /** The driver's name and role: it is no worker. */
    static final String DRIVER = "driver";

    private static final Logger LOG = LoggerFactory.getLogger(SparkTraining.class);
    private static final long POLL_MILLIS = 50;
    /** All have done their last step by then; what is left is to end. */
    private static final Duration TO_END = Duration.ofSeconds(15);

    private final SparkContext context;
    private final SparkCluster settings;
    private final RemoteTraining training;
    private final List<FedTable> tables;
    private final AtomicReference<History> result = new AtomicReference<>();
    private final AtomicReference<String> failed = new AtomicReference<>();

    SparkTraining(SparkContext context, SparkCluster settings, RemoteTraining training, List<FedTable> tables) {
        this.context = context;
        this.settings = settings;
        this.training = training;
        this.tables = tables;
    }

    History run() {
        List<String> names = members();
        int workers = (int) names.stream()
                .filter(name -> name.startsWith(Member.WORKER + "-"))
                .count();
        DriverAddress address = DriverAddress.of(context.getConf(), settings);
        MembershipRules rules = new MembershipRules(
                Math.min(settings.least(), workers),
                workers,
                workers,
                0,
                Timeouts.DEFAULT.with(settings.patience()).coordinatorInDriver());
        Map<String, Integer> servers = servers(names);
        for (Map.Entry<String, Integer> role : servers.entrySet()) {
            rules = rules.role(role.getKey(), RoleRules.of(role.getValue()));
        }
        ServerSettings server =
                ServerSettings.of(rules).listen(address.host(), 0).plainToOthers(address.plain());
        try (HostedCoordinator coordinator = HostedCoordinator.start(server, settings.folder());
                ScratchFolder inbox = ScratchFolder.create(DRIVER);
                CoordinatorClient client =
                        new CoordinatorClient(coordinator.server().address()).besideCoordinator()) {
            JoinRequest driver = JoinRequest.of(DRIVER, DRIVER);
            try (ClusterTeam team = ClusterTeam.join(client, driver, 1, Connections::open)) {
                return train(team, coordinator, names, driver.host(), inbox.path());
            }
        }
    }

    /** The names of all tasks: those of other roles first, since the workers need them. */
    private List<String> members() {
        Map<String, Integer> roles = training.fit().strategy().roles();
        int all = settings.workers().orElseGet(() -> SparkSlots.of(context));
        int taken = roles.values().stream().mapToInt(Integer::intValue).sum();
        List<String> names = new ArrayList<>();
        if (all > 1 && taken > 0) {
            if (all <= taken) {
                throw new TrainingException(training.fit().strategy() + " needs " + roles
                        + " of the members, and at least one that trains; the cluster has slots for " + all);
            }
            roles.forEach((role, count) -> {
                RoleProgram.named(role); // before anything is started
                for (int i = 0; i < count; i++) {
                    names.add(role + "-" + i);
                }
            });
        }
        int workers = all - names.size();
        training.fit().strategy().validateFor(workers);
        for (int i = 0; i < workers; i++) {
            names.add(Member.WORKER + "-" + i);
        }
        return names;
    }

    private static Map<String, Integer> servers(List<String> names) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String name : names) {
            String role = name.substring(0, name.lastIndexOf('-'));
            if (!role.equals(Member.WORKER)) {
                counts.merge(role, 1, Integer::sum);
            }
        }
        return counts;
    }

    private History train(
            ClusterTeam team, HostedCoordinator coordinator, List<String> names, String host, Path inbox) {
        MemberJob[] started = new MemberJob[1];
        RunConversation conversation = new RunConversation(
                training, inbox, () -> started[0] != null && started[0].hasEnded() || failed.get() != null);
        Messages messages = team.messages();
        messages.serve(DriverLink.TOPIC, conversation.handler());
        messages.serve(FileTransfer.TOPIC, FileTransfer.into(inbox));
        messages.serve(PartitionSupply.TOPIC, new PartRegistry().handler());
        messages.serve(MemberTask.RESULT, MessageHandler.of(request -> {
            result.set(Json.read(request.message().text(), History.class, "the chief's history"));
            return Message.of("");
        }));
        messages.serve(MemberTask.FAILED, MessageHandler.of(request -> {
            MemberTask.Failure failure =
                    Json.read(request.message().text(), MemberTask.Failure.class, "a member's failure");
            failed.compareAndSet(null, failure.member() + " has failed: " + failure.message());
            return Message.of("");
        }));
        Broadcast<StartFiles> start = JavaSparkContext.fromSparkContext(context).broadcast(startFiles());
        TaskInvitation invitation = new TaskInvitation(
                coordinator.server().address(),
                names,
                training.work(),
                training.fit().callbacks().stream().map(Callback::name).toList(),
                host,
                start,
                new TaskCounters(context));
        try (MemberJob job = MemberJob.start(new MemberRdd(context, invitation, tables), describe(names))) {
            started[0] = job;
            return observe(job, conversation, inbox);
        } finally {
            start.destroy();
        }
    }

    private String describe(List<String> names) {
        return "Tutti: " + names.size() + " members, " + training.fit().strategy() + ", "
                + training.fit().epochs() + " epochs";
    }

    /** Runs callbacks until the training has ended in one way or another. */
    private History observe(MemberJob job, RunConversation conversation, Path inbox) {
        try {
            while (result.get() == null && !job.hasEnded() && failed.get() == null && conversation.failure() == null) {
                conversation.serve(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            TrainingException interrupted = new TrainingException("interrupted while the members trained", e);
            conversation.end(interrupted);
            throw interrupted;
        } catch (RuntimeException e) {
            conversation.end(e);
            throw e;
        }
        if (result.get() == null) {
            RuntimeException why = failure(job, conversation);
            conversation.end(why);
            throw why;
        }
        SavedModel.readWeights(training.model(), inbox.resolve(StartFiles.WEIGHTS));
        if (!job.awaitEnd(TO_END)) {
            LOG.info("tasks without a slot, or that did not end within {} s, are cancelled", TO_END.toSeconds());
        }
        History history = result.get();
        Optional<String> reason = history.reason().or(() -> Optional.ofNullable(conversation.stopReason()));
        return new History(history.epochs(), history.ending(), reason, history.times(), history.strategy());
    }

    private RuntimeException failure(MemberJob job, RunConversation conversation) {
        if (conversation.failure() != null) {
            return conversation.failure();
        }
        if (failed.get() != null) {
            return new TrainingException(failed.get());
        }
        return new TrainingException(
                "the Spark job of this training has ended without a result: " + job.why(), job.cause());
    }

    /** The checkpoint to go on from, or what the model has learned before. */
    private StartFiles startFiles() {
        List<Path> files = new ArrayList<>();
        training.fit().resumeFrom().ifPresent(folder -> {
            try (ScratchFolder copy = ScratchFolder.create("resume")) {
                new CheckpointFolder(folder)
                        .copyNewest(copy.path(), 1)
                        .ifPresent(newest -> files.addAll(listed(folder, copy.path())));
            }
        });
        if (!files.isEmpty()) {
            return StartFiles.of(files);
        }
        if (!training.begun()) {
            return StartFiles.of(List.of());
        }
        try (ScratchFolder folder = ScratchFolder.create("weights")) {
            Path weights = folder.path().resolve(StartFiles.WEIGHTS);
            SavedModel.writeWeights(training.model(), weights);
            return StartFiles.of(List.of(weights));
        }
    }

    /** The files of the newest checkpoint, by the names that their copies have. */
    private static List<Path> listed(Path folder, Path copy) {
        String[] names = copy.toFile().list();
        List<Path> files = new ArrayList<>();
        for (String name : names == null ? new String[0] : names) {
            Path original = folder.resolve(name);
            if (Files.isRegularFile(original)) {
                files.add(original);
            }
        }
        return files;
    }
}
