package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.cluster.ClusterSpec;
import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.Server;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RoleRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.json.Json;
import dev.tutti.optim.Optimizers;
import dev.tutti.strategy.ps.ParameterClient;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Coordinator and servers are JVMs that were started by hand; the coordinator is killed, and then a server. */
@ExtendWith(HardAlarm.class)
class ParameterServerCoordinatorTest {
    private static final int LENGTH = 1000;
    private static final int PUSHES = 300;

    @TempDir
    private Path journal;

    private Duration withoutIt = Duration.ofSeconds(60); // how long members do without the coordinator
    private final int port = freePort();
    private final String token = ServerSettings.newToken();
    private final Map<String, Process> processes = new LinkedHashMap<>();

    /** The program of a server that was started by hand. */
    static final class ServerMain {
        private ServerMain() {}

        public static void main(String[] arguments) {
            try {
                Server.fromEnvironment().join();
            } catch (TuttiException e) {
                System.err.println(e.getMessage());
            }
            Runtime.getRuntime().halt(0);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void startCoordinator() {
        MembershipRules rules = MembershipRules.of(1)
                .between(1, 1)
                .role("server", RoleRules.growing(2))
                .patience(Timeouts.DEFAULT
                        .heartbeats(Duration.ofMillis(200), Duration.ofMillis(800), Duration.ofSeconds(5))
                        .with(Map.of("coordinator", withoutIt.toMillis())));
        Process coordinator = ChildJvm.of(CoordinatorMain.class.getName(), "coordinator", List.of())
                .start();
        processes.put("coordinator", coordinator);
        String orders = Json.write(new CoordinatorMain.Orders(rules, port, token, journal.toString()));
        try {
            coordinator.getOutputStream().write((orders.replace("\n", " ") + "\n").getBytes(StandardCharsets.UTF_8));
            coordinator.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void startServer(int index) {
        ClusterSpec spec = ClusterSpec.of(
                Map.of(
                        "coordinator", List.of("127.0.0.1:" + port),
                        "worker", List.of("127.0.0.1"),
                        "server", List.of("127.0.0.1", "127.0.0.1")),
                new ClusterSpec.Task("server", index),
                token);
        processes.put(
                "server-" + index,
                ChildJvm.of(ServerMain.class.getName(), "server-" + index, List.of())
                        .with(ClusterSpec.VARIABLE, Json.write(spec))
                        .start());
    }

    private void kill(String name) {
        Process process = processes.get(name);
        process.destroyForcibly();
        process.onExit().join();
    }

    @AfterEach
    void killAll() {
        processes.values().forEach(Process::destroyForcibly);
    }

    /** Pushes while the coordinator is away; a server is lost, and the coordinator may be there again. */
    private float[] push(boolean comesBack) {
        startCoordinator();
        startServer(0);
        startServer(1);
        CoordinatorAddress address = new CoordinatorAddress("127.0.0.1", port, token, null);
        try (Team team = ClusterTeam.join(address, JoinRequest.worker("worker-0"), 1, Connections::open);
                Scope scope = Scope.open()) {
            team.meet(0);
            ParameterClient client = new ParameterClient(team, "pusher", LENGTH, 2, List.of(), withoutIt);
            client.setUp(Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32), Optimizers.sgd(1), 1);
            Tensor amount = Tensor.full(Shape.of(LENGTH), -1, DType.FLOAT32);
            for (int i = 1; i <= PUSHES; i++) {
                client.push(amount, 1);
                if (i == PUSHES / 3) {
                    kill("coordinator");
                } else if (i == PUSHES / 2 && comesBack) {
                    startCoordinator();
                } else if (i == 2 * PUSHES / 3) {
                    kill("server-0");
                }
            }
            Tensor values = Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32);
            client.pull(values);
            return values.toArray().floats();
        }
    }

    @Test
    void pushesGoOnWithoutTheCoordinatorAndAServerIsReplacedWhenItIsBack() {
        assertThat(push(true)).containsOnly(PUSHES);
    }

    /** The other half: while it stays away no backup takes the place of a lost primary, and the worker says what it waited for. */
    @Test
    void withoutTheCoordinatorALostPrimaryHasNoSuccessor() {
        withoutIt = Duration.ofSeconds(5);
        assertThatThrownBy(() -> push(false)).isInstanceOf(TuttiException.class).hasMessageContaining("coordinator");
    }
}
