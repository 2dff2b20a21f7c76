package dev.tutti.cluster.launch;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.HostedCoordinator;
import dev.tutti.cluster.HostingTeam;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.tensor.Engine;
import dev.tutti.train.Launcher;
import dev.tutti.train.TrainingException;
import dev.tutti.train.WorkerTask;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * Members on threads of this JVM, each with a model and a part of the data of its own, which meet through a real coordinator: all that
 * members of several JVMs do, without starting any. Unlike workers of {@link Launcher#threads} they share no parameters.
 *
 * <p>For strategies whose members differ from each other, for data that is only in this JVM's memory, and to try out a job that is
 * meant for many machines.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class LocalMembers implements Launcher {
    private Integer members;
    private int workersPerMember = 1;

    @JsonIgnore
    private Path folder;

    private LocalMembers() {}

    /** So many members, the caller among them. */
    public LocalMembers(int members) {
        this.members = members;
        validate();
    }

    private LocalMembers(Integer members, int workers, Path folder) {
        this.members = members;
        this.workersPerMember = workers;
        this.folder = folder;
        validate();
    }

    /** Workers on threads of each member; 1 by default. */
    public LocalMembers workersPerMember(int each) {
        return new LocalMembers(members, each, folder);
    }

    @Override
    public LocalMembers reachableThrough(Path whereToLook) {
        return new LocalMembers(members, workersPerMember, whereToLook);
    }

    private int members() {
        return members == null ? Engine.cores() : members;
    }

    @Override
    public OptionalInt workers() {
        return OptionalInt.of(members() * workersPerMember);
    }

    @Override
    public void validate() {
        require(members() >= 1, "members: expected at least 1 member, received " + members());
        require(
                workersPerMember >= 1,
                "workersPerMember: expected at least 1 worker of each member, received " + workersPerMember);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new TrainingException(message);
        }
    }

    private MembershipRules rules() {
        return MembershipRules.of(members()).between(1, members()).patience(Timeouts.DEFAULT.coordinatorInDriver());
    }

    @Override
    public Team assemble(WorkerTask work) {
        HostedCoordinator hosted = HostedCoordinator.start(ServerSettings.of(rules()), folder);
        CoordinatorAddress address = hosted.server().address();
        MemberThreads others = new MemberThreads();
        try {
            CoordinatorClient client = new CoordinatorClient(address).besideCoordinator();
            // The first to join is the chief, whose callbacks are the caller's.
            ClusterTeam team = ClusterTeam.join(client, request("worker-0"), workersPerMember, Connections::open);
            for (int i = 1; i < members(); i++) {
                MemberPlace place = new MemberPlace(address, "worker-" + i, workersPerMember);
                others.start(place.name, stop -> WorkerTraining.run(work, place, workersPerMember, stop));
            }
            return new HostingTeam(team, () -> {
                others.close();
                hosted.close();
            });
        } catch (RuntimeException e) {
            others.close();
            hosted.close();
            throw e;
        }
    }

    /** A process of its own, as far as the coordinator is concerned. */
    private static JoinRequest request(String name) {
        return JoinRequest.worker(name).process(name);
    }

    /** Where a member that this launcher has started meets the others. */
    private record MemberPlace(CoordinatorAddress address, String name, int threads) implements Launcher {
        @Override
        public Team assemble(WorkerTask work) {
            return new StatelessTeam(ClusterTeam.join(address, request(name), threads, Connections::open));
        }
    }

    @Override
    public String toString() {
        return "members(" + members() + (workersPerMember == 1 ? "" : ", " + workersPerMember + " workers each") + ")";
    }
}
