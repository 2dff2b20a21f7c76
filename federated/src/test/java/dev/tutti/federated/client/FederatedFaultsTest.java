package dev.tutti.federated.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.federated.privacy.SecureAggregation;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import dev.tutti.federated.server.RoundResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that are killed and stopped. */
@Timeout(240)
class FederatedFaultsTest {
    @TempDir
    private Path folder;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly();
            process.waitFor(10, TimeUnit.SECONDS);
        }
    }

    private Process server(String log, int port, int rounds) throws IOException {
        return start(
                log, "server", Integer.toString(port), folder.resolve("server").toString(), Integer.toString(rounds));
    }

    private Process client(int port, int number, int millis) throws IOException {
        return start(
                "client" + number + ".log",
                "client",
                "http://127.0.0.1:" + port,
                folder.resolve("client" + number).toString(),
                Integer.toString(number),
                Integer.toString(millis));
    }

    private Process start(String log, String... arguments) throws IOException {
        Process process = FaultProgram.start(folder.resolve(log), arguments);
        processes.add(process);
        return process;
    }

    private String log(String name) {
        try {
            Path file = folder.resolve(name);
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        long giveUp = System.nanoTime() + Duration.ofSeconds(100).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as(() -> what + "\n--- server\n" + log("first.log") + log("second.log") + "\n--- client 0\n"
                            + log("client0.log"))
                    .isLessThan(giveUp);
            Thread.sleep(20);
        }
    }

    private int port(String log) throws InterruptedException {
        Pattern line = Pattern.compile("port (\\d+)");
        await("the server listens", () -> line.matcher(log(log)).find());
        Matcher matcher = line.matcher(log(log));
        assertThat(matcher.find()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    @Test
    void aKilledServerGoesOnWhereItWasAndClientsReconnect() throws Exception {
        Process first = server("first.log", 0, 8);
        int port = port("first.log");
        for (int i = 0; i < 3; i++) {
            client(port, i, 3);
        }
        await("two rounds are done", () -> log("first.log").contains("round 2 "));
        first.destroyForcibly().waitFor(); // kill -9, in the middle of a round
        server("second.log", port, 8);
        await("all rounds are done", () -> log("second.log").contains("ended all 8 rounds are done"));
        assertThat(log("second.log")).as("it did not begin anew").doesNotContain("round 1 ");
        for (int i = 0; i < 3; i++) {
            int client = i;
            await("client " + i + " ends", () -> log("client" + client + ".log").contains("ended all 8 rounds"));
        }
    }

    @Test
    void killedAndStoppedClientsDoNotHoldTheOthersUp() throws Exception {
        server("first.log", 0, 5);
        int port = port("first.log");
        List<Process> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(client(port, i, i == 3 ? 200 : 1)); // the last one would train for 14 s
        }
        await("a round is done", () -> log("first.log").contains("round 1 "));
        clients.get(2).destroyForcibly().waitFor(); // kill -9
        assertThat(new ProcessBuilder(
                                "kill", "-STOP", Long.toString(clients.get(3).pid()))
                        .start()
                        .waitFor())
                .isZero();
        await("all rounds are done", () -> log("first.log").contains("ended all 5 rounds are done"));
        assertThat(log("first.log")).containsPattern("round 5 answers [23]");
    }

    @Test
    void allClientsGoneAndBack() throws Exception {
        server("first.log", 0, 6);
        int port = port("first.log");
        List<Process> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(client(port, i, 5));
        }
        await("a round is done", () -> log("first.log").contains("round 1 "));
        for (Process client : clients) {
            client.destroyForcibly().waitFor();
        }
        for (int i = 0; i < 3; i++) {
            client(port, i, 1); // the same identities, from their folders
        }
        await("all rounds are done", () -> log("first.log").contains("ended all 6 rounds are done"));
    }

    /** Of seven clients three die, each when it is asked for another phase; the sum is that of the five that sent theirs. */
    @Test
    void clientsDieAtEachPhaseOfSecureAggregation() throws Exception {
        FederatedJob job = ClusterRows.job(folder.resolve("server"))
                .rounds(1)
                .selection(new Selection().minimum(7))
                .deadline(Duration.ofSeconds(3))
                .secure(new SecureAggregation().threshold(0.51));
        List<String> phases = List.of("shares", "masked", "unmask");
        ExecutorService stay = Executors.newFixedThreadPool(4);
        try (FederatedServer server = FederatedServer.start(job, ListenSettings.local(0))) {
            List<Process> dying = new ArrayList<>();
            for (int i = 0; i < phases.size(); i++) {
                dying.add(start(
                        "client" + i + ".log",
                        "client",
                        server.uri().toString(),
                        folder.resolve("client" + i).toString(),
                        Integer.toString(i),
                        "0",
                        phases.get(i)));
            }
            for (int i = 0; i < phases.size(); i++) {
                int client = i;
                await(
                        "client " + i + " takes part",
                        () -> log("client" + client + ".log").contains("taking part"));
            }
            List<Future<FederatedClient.Summary>> staying = new ArrayList<>();
            for (int i = 3; i < 7; i++) {
                int number = i;
                staying.add(stay.submit(() -> FederatedClient.to(server.uri())
                        .name("site" + number)
                        .data("rows", ClusterRows.of(number))
                        .run()));
            }
            List<RoundResult> rounds = server.await(Duration.ofSeconds(100));
            assertThat(rounds)
                    .singleElement()
                    .satisfies(round -> assertThat(round.answers())
                            .as("four, and the one that died when its masked update was there")
                            .isEqualTo(5));
            for (int i = 0; i < dying.size(); i++) {
                assertThat(dying.get(i).waitFor())
                        .as(phases.get(i) + ": " + log("client" + i + ".log"))
                        .isEqualTo(9);
            }
            for (Future<FederatedClient.Summary> client : staying) {
                assertThat(client.get(60, TimeUnit.SECONDS).rounds()).isEqualTo(1);
            }
        } finally {
            stay.shutdownNow();
        }
    }
}
