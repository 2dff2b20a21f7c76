package dev.tutti.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.app.Terminal;
import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Report;
import dev.tutti.comm.connection.Connections;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./tutti status} and {@code ./tutti configure}, asked about a job with one member. */
@Timeout(60)
class RunningJobTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();

    @Test
    void aJobIsLookedAtAndChanged() {
        CoordinatorFolder announced = new CoordinatorFolder(folder.resolve("coordinator"));
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)));
                ClusterTeam team =
                        ClusterTeam.join(server.address(), JoinRequest.worker("worker-0"), 1, Connections::open)) {
            announced.announce(server);
            team.meet(0);
            team.report(new Report(1, 230, 4_096, 0.025, 0.125));
            await(() -> server.overview().members().get(0).report() != null);

            assertThat(run("status")).isZero();
            assertThat(terminal.out())
                    .contains("generation 1, 4,096 rows used of epoch 2")
                    .containsPattern("worker-0 +alive +0 +2 +230 +0.1250 +25.0 ms");

            assertThat(run("configure")).isZero();
            assertThat(terminal.out()).contains("Nothing is set");
            assertThat(run("configure", "learningRate=0.001", "mine=a=b")).isZero();
            assertThat(terminal.out()).contains("Set: {learningRate=0.001, mine=a=b}");
            await(() -> team.configuration().values().containsKey("mine"));
            assertThat(team.configuration().values())
                    .containsEntry("learningRate", "0.001")
                    .containsEntry("mine", "a=b");
            assertThat(run("configure", "mine=", "--json")).isZero();
            assertThat(terminal.json().at("/values/learningRate").asText()).isEqualTo("0.001");
            assertThat(terminal.json().at("/values").has("mine")).isFalse();
            assertThat(run("status", "--json")).isZero();
            assertThat(terminal.json().at("/members/0/report/step").asInt()).isEqualTo(230);
        }
        assertThat(run("status")).isEqualTo(7);
        assertThat(terminal.err()).contains("was not reached").doesNotContain("\tat ");
        announced.withdraw();
        assertThat(run("status")).isEqualTo(4);
        assertThat(terminal.err()).contains("no job is under way here");
    }

    @Test
    void nothingIsSetWhereOneSettingIsWrong() {
        CoordinatorFolder announced = new CoordinatorFolder(folder.resolve("coordinator"));
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)))) {
            announced.announce(server);
            assertThat(run("configure", "mine=1", "learningRate=fast")).isEqualTo(2);
            assertThat(terminal.err()).contains("learningRate: expected a number of 0 or more, received 'fast'");
            assertThat(run("configure", "learningRate")).isEqualTo(2);
            assertThat(terminal.err()).contains("expected KEY=VALUE");
            assertThat(run("configure", "mine=" + "x".repeat(100_000))).isEqualTo(2);
            assertThat(run("configure", "mine=1", "learningrate=0.1")).isEqualTo(2);
            assertThat(terminal.err()).contains("unknown setting 'learningrate': did you mean 'learningRate'?");
            assertThat(server.overview().settings().values()).isEmpty();
        }
    }

    @Test
    void aCertificateAndItsKeyGoTogether() {
        for (String lonely : new String[] {"--certificate", "--key"}) {
            assertThat(run("status", lonely, "some.pem")).isEqualTo(2);
            assertThat(terminal.err())
                    .contains("--certificate and --key go together: expected both or neither, received only " + lonely);
        }
    }

    private int run(String command, String... more) {
        String[] all = new String[more.length + 2];
        all[0] = command;
        all[1] = folder.toString();
        System.arraycopy(more, 0, all, 2, more.length);
        return terminal.run(all);
    }

    private static void await(BooleanSupplier condition) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(until);
            LockSupport.parkNanos(5_000_000);
        }
    }
}
