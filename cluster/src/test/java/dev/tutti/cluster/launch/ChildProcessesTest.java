package dev.tutti.cluster.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.Membership;
import dev.tutti.cluster.rpc.ServerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for processes ends, whatever becomes of them. Shells stand in for JVMs, and the test speaks for their members. */
@Timeout(30)
class ChildProcessesTest {
    private static final Duration GRACE = Duration.ofMillis(300);
    private static final Timeouts PATIENCE =
            Timeouts.DEFAULT.heartbeats(Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(200));
    private static final String FOREVER = "exec sleep 1000";

    private final CoordinatorServer coordinator =
            CoordinatorServer.start(ServerSettings.of(MembershipRules.of(2).patience(PATIENCE)));
    private final CoordinatorClient client = new CoordinatorClient(coordinator.address());
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void close() {
        client.close();
        coordinator.close();
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void oneThatIsGivenUpIsEndedWhenNobodyElseIsLeft() throws Exception {
        assertThat(outcome(1)).isZero();
        assertThat(processes.get(1).waitFor()).isEqualTo(128 + 9);
    }

    @Test
    void oneThatIsGivenUpHasFailedWhereNoneMay() throws Exception {
        assertThat(outcome(0)).isEqualTo(128 + 9);
    }

    /** One ends well; nothing is heard of the member of the other, as if it were stopped. */
    private int outcome(int bearable) throws IOException {
        try (ChildProcesses children = new ChildProcesses(coordinator, line -> {}, 3)) {
            children.start("worker-0", shells("exit 0"));
            children.start("worker-1", shells(FOREVER));
            member(processes.get(1));
            return children.await(bearable, GRACE);
        }
    }

    @Test
    void oneThatHasLeftInGoodOrderMayGoOn() throws Exception {
        try (ChildProcesses children = new ChildProcesses(coordinator, line -> {}, 0)) {
            children.start("worker-0", shells("sleep 2; exit 0"));
            client.leave(member(processes.get(0)), "its work is done", false);
            assertThat(children.await(0, GRACE)).isZero();
            assertThat(processes.get(0).exitValue()).isZero();
        }
    }

    @Test
    void whatItSaidIsTheExceptionAndNotTheEndOfItsTrace() {
        String frames = "i=0; while [ $i -lt 30 ]; do echo '\tat a.B.c(B.java:1)'; i=$((i+1)); done; ";
        String script =
                "{ echo '22:10:01 ERROR this worker has failed'; echo 'java.lang.IllegalStateException: outer'; "
                        + frames + "echo 'Caused by: java.io.IOException: the row is spoilt'; " + frames
                        + "echo '\t... 7 more'; } >&2; exit 1";
        try (ChildProcesses children = new ChildProcesses(coordinator, line -> {}, 0)) {
            children.start("worker-0", shells(script));
            assertThat(children.await(0, GRACE)).isEqualTo(1);
            assertThat(children.firstToFail())
                    .hasValue("worker-0 was the first to fail: it ended with exit code 1; it said: java.io.IOException:"
                            + " the row is spoilt");
        }
        try (ChildProcesses children = new ChildProcesses(coordinator, line -> {}, 0)) {
            children.start("worker-0", shells("echo '22:10:01.123 ERROR no such column' >&2; exit 1"));
            children.await(0, GRACE);
            assertThat(children.firstToFail().orElseThrow()).endsWith("; it said: no such column");
        }
    }

    @Test
    void aReplacementThatCannotBeStartedIsAFailure() {
        try (ChildProcesses children = new ChildProcesses(coordinator, line -> {}, 1)) {
            children.start("worker-0", shells("sleep 0.2; exit 3")); // and nothing for its successor
            assertThat(children.await(0, GRACE)).isEqualTo(3);
        }
    }

    @Test
    void aReplacementThatEndsWellIsNone() {
        try (ChildProcesses children = new ChildProcesses(coordinator, line -> {}, 1)) {
            children.start("worker-0", shells("sleep 0.2; exit 3", "exit 0"));
            assertThat(children.await(0, GRACE)).isZero();
            assertThat(processes).hasSize(2);
        }
    }

    /** A member of the process that is never heard of after it has joined. */
    private Membership member(Process process) {
        return client.join(JoinRequest.worker(null).process(JoinRequest.process(process.pid())));
    }

    /** Runs one script after the other; when there is none left, nothing can be started. */
    private ChildProcesses.Plan shells(String... scripts) {
        Deque<String> left = new ArrayDeque<>(List.of(scripts));
        return new ChildProcesses.Plan() {
            @Override
            public Process start(String name) {
                if (left.isEmpty()) {
                    throw new LaunchException("no more processes");
                }
                try {
                    Process process = new ProcessBuilder("sh", "-c", left.remove()).start();
                    processes.add(process);
                    return process;
                } catch (IOException e) {
                    throw new LaunchException("no shell", e);
                }
            }

            @Override
            public String greeting(String name) {
                return "";
            }
        };
    }
}
