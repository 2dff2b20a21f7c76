package dev.tutti.cluster.launch;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.HostedCoordinator;
import dev.tutti.cluster.HostingTeam;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RoleRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Member;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.json.Definition;
import dev.tutti.json.Json;
import dev.tutti.tensor.Engine;
import dev.tutti.train.JobFingerprint;
import dev.tutti.train.Launcher;
import dev.tutti.train.TrainingException;
import dev.tutti.train.WorkerTask;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * JVMs of this machine: this one and others that it starts, each with workers on threads of its own.
 *
 * <p>Their output comes out of this JVM, prefixed with their names. They end when this one ends, however that comes about.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class LocalProcesses extends Definition implements Launcher {
    /** All have done their last step by then; what is left is to end. */
    private static final Duration TO_END = Duration.ofSeconds(10);

    private static final int MOST_MEMBERS = 256;

    private Integer members;

    @JsonAlias("threads")
    private int workersPerProcess = 1;

    private int min = 1;
    private int restarts = 3;
    private double ejectSlowerThan;
    private String heap;
    private Double goneAfterSeconds;
    private Double collectiveSeconds;
    private Double tooFewSeconds;
    private Map<String, Integer> roles = Map.of();

    @JsonIgnore
    private Path folder;

    private LocalProcesses() {}

    /** So many JVMs, this one among them. */
    public LocalProcesses(int members) {
        this.members = members;
        validate();
    }

    /** Workers on threads of each JVM; 1 by default. */
    public LocalProcesses workersPerProcess(int each) {
        return copy(c -> c.workersPerProcess = each);
    }

    /**
     * So many JVMs of another role beside the members that train, such as servers. Each runs the {@link RoleProgram} of its role;
     * one that is lost is replaced like a worker, and disturbs no worker.
     */
    public LocalProcesses role(String name, int count) {
        return copy(c -> {
            Map<String, Integer> more = new TreeMap<>(roles);
            more.put(name, count);
            c.roles = Map.copyOf(more);
        });
    }

    /** The least number of members that go on; with fewer training waits a while and ends with a checkpoint. 1 by default. */
    public LocalProcesses min(int least) {
        return copy(c -> c.min = least);
    }

    /** How many lost members are replaced by new ones in all; 3 by default. */
    public LocalProcesses restarts(int most) {
        return copy(c -> c.restarts = most);
    }

    /** Sends members away that take so many times as long as the others; off by default. */
    public LocalProcesses ejectSlowerThan(double factor) {
        return copy(c -> c.ejectSlowerThan = factor);
    }

    /**
     * The Java heap of each JVM that is started, such as {@code 2g}. By default they share a quarter of the machine's memory, each has
     * 1 GB at least; an {@code -Xmx} of this JVM counts for them too.
     */
    public LocalProcesses heap(String size) {
        return copy(c -> c.heap = size);
    }

    /** Silence after which a member is given up; 10 s by default. */
    public LocalProcesses goneAfter(Duration silence) {
        return copy(c -> c.goneAfterSeconds = silence.toMillis() / 1e3);
    }

    /** How long a member waits for the others within one call; 30 s by default. */
    public LocalProcesses deadline(Duration wait) {
        return copy(c -> c.collectiveSeconds = wait.toMillis() / 1e3);
    }

    /** How long those that are left wait for others when they are fewer than the least number; 30 s by default. */
    public LocalProcesses tooFewFor(Duration wait) {
        return copy(c -> c.tooFewSeconds = wait.toMillis() / 1e3);
    }

    @Override
    public LocalProcesses reachableThrough(Path whereToLook) {
        return copy(c -> c.folder = whereToLook);
    }

    private int members() {
        return members == null ? Engine.cores() : members;
    }

    @Override
    public OptionalInt workers() {
        return OptionalInt.of(members() * workersPerProcess);
    }

    @Override
    public void validate() {
        require(members() >= 1, "members: expected at least 1 JVM, received " + members());
        require(
                members() <= MOST_MEMBERS,
                "members: expected at most " + MOST_MEMBERS + " JVMs on one machine, received " + members());
        require(workersPerProcess >= 1, "workersPerProcess: expected at least 1, received " + workersPerProcess);
        Engine.requireThreads(workersPerProcess);
        require(
                min >= 1 && min <= members(),
                "min: expected from 1 to the number of members, " + members() + ", received " + min);
        require(roles != null, "roles: expected numbers of members by role, received nothing");
        roles.forEach((role, count) -> require(
                role.matches("[a-z][a-zA-Z0-9]*") && !role.equals(Member.WORKER) && count != null && count >= 1,
                "roles: expected other names than worker, each with a number of at least 1, received " + role + ": "
                        + count));
        require(restarts >= 0, "restarts: expected 0 or more, received " + restarts);
        require(
                ejectSlowerThan == 0 || ejectSlowerThan > 1,
                "ejectSlowerThan: expected a factor above 1, or 0 for never, received " + ejectSlowerThan);
        require(
                heap == null || HeapOptions.isSize(heap),
                "heap: expected megabytes or gigabytes, such as 800m or 2g, received " + heap);
        rules();
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new TrainingException(message);
        }
    }

    MembershipRules rules() {
        Timeouts patience = Timeouts.DEFAULT;
        if (goneAfterSeconds != null) {
            long gone = Math.round(goneAfterSeconds * 1000);
            require(gone >= 10, "goneAfterSeconds: expected at least 0.01, received " + goneAfterSeconds);
            patience = patience.heartbeats(
                    Duration.ofMillis(Math.min(patience.heartbeat(), gone / 5)),
                    Duration.ofMillis(Math.min(patience.unresponsive(), gone / 2)),
                    Duration.ofMillis(gone));
        }
        patience = patience.coordinatorInDriver();
        if (collectiveSeconds != null) {
            patience = patience.collective(Duration.ofMillis(Math.round(collectiveSeconds * 1000)));
        }
        if (tooFewSeconds != null) {
            patience = patience.tooFew(Duration.ofMillis(Math.round(tooFewSeconds * 1000)));
        }
        MembershipRules rules = new MembershipRules(min, members(), members(), ejectSlowerThan, patience);
        for (Map.Entry<String, Integer> role : roles.entrySet()) {
            rules = rules.role(role.getKey(), RoleRules.of(role.getValue()));
        }
        return rules;
    }

    @Override
    public Team assemble(WorkerTask work) {
        return dividedFor(work.fit().strategy()).start(work);
    }

    /** The same with as many members fewer that train as the strategy needs of other roles, unless they are there beside them. */
    LocalProcesses dividedFor(Strategy strategy) {
        Map<String, Integer> all = new TreeMap<>(roles);
        strategy.roles().forEach(all::putIfAbsent);
        int taken = all.values().stream().mapToInt(Integer::intValue).sum()
                - roles.values().stream().mapToInt(Integer::intValue).sum();
        if (taken == 0 || members() == 1) {
            return this; // a member alone does all of it
        }
        require(
                members() > taken,
                "members: " + strategy + " needs " + strategy.roles() + " of the members, and at least one that trains,"
                        + " received " + members());
        return copy(c -> {
            c.members = members() - taken;
            c.min = Math.min(min, members() - taken);
            c.roles = Map.copyOf(all);
        });
    }

    private Team start(WorkerTask work) {
        roles.keySet().forEach(RoleProgram::named); // before anything is started
        HostedCoordinator hosted = HostedCoordinator.start(ServerSettings.of(rules()), folder);
        CoordinatorServer coordinator = hosted.server();
        ChildProcesses children = new ChildProcesses(coordinator, System.err::println, restarts);
        try {
            String run = UUID.randomUUID().toString();
            WorkerPlan plan = new WorkerPlan(coordinator.address(), workersPerProcess, members() - 1, heap, run, work);
            for (int i = 1; i < members(); i++) {
                children.start("worker-" + i, plan);
            }
            String settings = Json.write(work);
            roles.forEach((role, count) -> {
                for (int i = 0; i < count; i++) {
                    children.start(role + "-" + i, new RolePlan(coordinator.address(), role, settings));
                }
            });
            CoordinatorClient client = new CoordinatorClient(coordinator.address()).besideCoordinator();
            JoinRequest driver = JoinRequest.worker("worker-0").settings(JobFingerprint.of(work));
            ClusterTeam team = ClusterTeam.join(client, driver, workersPerProcess, Connections::open);
            try {
                children.awaitStart(
                        members()
                                + roles.values().stream()
                                        .mapToInt(Integer::intValue)
                                        .sum(),
                        Duration.ofMillis(rules().patience().start()));
            } catch (RuntimeException e) {
                team.close();
                throw e;
            }
            return new HostingTeam(new DriverTeam(team, children), () -> {
                // Without the driver the user would not see what the others do.
                children.endWithin(TO_END, team.hasFailed() ? Set.of() : atWork(coordinator, team.companions()));
                hosted.close();
            });
        } catch (RuntimeException e) {
            children.close();
            hosted.close();
            throw e;
        }
    }

    /** Processes of the last group and of other roles: they hear that the training is over, and end by themselves. */
    private Set<String> atWork(CoordinatorServer coordinator, List<String> companions) {
        List<String> members = new ArrayList<>(companions);
        coordinator.overview().members().stream()
                .filter(member -> roles.containsKey(member.role()))
                .forEach(member -> members.add(member.id()));
        return coordinator.processesOf(members);
    }

    private record RolePlan(CoordinatorAddress address, String role, String settings) implements ChildProcesses.Plan {
        @Override
        public Process start(String name) {
            return ChildJvm.of(RoleMain.class.getName(), name, List.of())
                    .withOptions(HeapOptions.OF_ROLES)
                    .start();
        }

        @Override
        public String greeting(String name) {
            return Json.write(RoleInvitation.of(address, role, name, settings)).replace("\n", " ");
        }
    }

    private record WorkerPlan(
            CoordinatorAddress address, int workers, int jvms, String heap, String run, WorkerTask work)
            implements ChildProcesses.Plan {
        @Override
        public Process start(String name) {
            return ChildJvm.of(WorkerMain.class.getName(), name, List.of())
                    .heap(jvms, heap)
                    .withOptions(List.of("-D" + ChildJvm.RUN + "=" + run))
                    .start();
        }

        @Override
        public String greeting(String name) {
            return Json.write(WorkerInvitation.of(address, name, workers, work)).replace("\n", " ");
        }
    }

    @Override
    public String toString() {
        return "processes(" + members() + (workersPerProcess == 1 ? "" : ", " + workersPerProcess + " workers each")
                + ")";
    }
}
