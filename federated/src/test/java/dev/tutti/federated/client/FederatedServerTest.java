package dev.tutti.federated.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import dev.tutti.data.Dataset;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.aggregate.Aggregation;
import dev.tutti.federated.aggregate.FedAvg;
import dev.tutti.federated.aggregate.FedBuff;
import dev.tutti.federated.aggregate.QFedAvg;
import dev.tutti.federated.aggregate.Scaffold;
import dev.tutti.federated.privacy.DifferentialPrivacy;
import dev.tutti.federated.privacy.SecureAggregation;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import dev.tutti.federated.server.RoundResult;
import dev.tutti.federated.wire.UpdateEncoding;
import dev.tutti.train.checkpoint.SavedModel;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The real server and real clients, over HTTP on this machine. */
@Timeout(120)
class FederatedServerTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() throws InterruptedException {
        threads.shutdownNow();
        threads.awaitTermination(20, TimeUnit.SECONDS);
    }

    private FederatedJob job() {
        return ClusterRows.job(folder.resolve("server"));
    }

    private static Dataset rows(int client) {
        return ClusterRows.of(client);
    }

    private FederatedClient client(URI server, int number) {
        return FederatedClient.to(server)
                .name("site" + number)
                .data("rows", rows(number))
                .patience(Duration.ofSeconds(20));
    }

    private List<Future<FederatedClient.Summary>> join(URI server, int count) {
        List<Future<FederatedClient.Summary>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FederatedClient client = client(server, i);
            running.add(threads.submit(client::run));
        }
        return running;
    }

    private static FederatedClient.Summary of(Future<FederatedClient.Summary> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    static List<Aggregation> aggregations() {
        return List.of(new FedAvg(), new Scaffold(), new QFedAvg(), new FedBuff().buffer(2));
    }

    @ParameterizedTest
    @MethodSource("aggregations")
    void threeClientsTrainOneModel(Aggregation aggregation) throws Exception {
        FederatedJob job = job().aggregation(aggregation).clientEvaluation(3);
        try (FederatedServer server = FederatedServer.start(job, ListenSettings.local(0))) {
            List<Future<FederatedClient.Summary>> clients = join(server.uri(), 3);
            List<RoundResult> rounds = server.await(LIMIT);
            assertThat(rounds).hasSize(3);
            assertThat(rounds.get(2).loss()).isLessThan(rounds.get(0).loss());
            assertThat(rounds.get(2).clients().samples()).isEqualTo(40 + 50 + 60);
            assertThat(rounds.get(2).clients().get("accuracy")).isGreaterThan(0.4);
            for (Future<FederatedClient.Summary> client : clients) {
                assertThat(of(client).ending()).contains("all 3 rounds are done");
            }
        }
        try (SavedModel saved = SavedModel.load(folder.resolve("server/model"))) {
            assertThat(saved.model().inputs()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(UpdateEncoding.class)
    void updatesTravelEncoded(UpdateEncoding encoding) throws Exception {
        FederatedJob job = job().encoding(encoding).rounds(2);
        try (FederatedServer server = FederatedServer.start(job, ListenSettings.local(0))) {
            join(server.uri(), 3);
            assertThat(server.await(LIMIT)).hasSize(2).allMatch(round -> round.answers() == 3);
        }
    }

    @Test
    void secureAggregationGivesTheModelOfThePlainSum() throws Exception {
        FederatedJob job = job().rounds(2).epochs(1);
        float[] plain = modelAfter(job.output(folder.resolve("plain")));
        float[] secure = modelAfter(job.output(folder.resolve("secure")).secure(new SecureAggregation().bits(30)));
        for (int i = 0; i < plain.length; i++) {
            assertThat(secure[i]).isCloseTo(plain[i], within(1e-5f)); // identities, and so orders of rows, are the same
        }
    }

    private float[] modelAfter(FederatedJob job) throws Exception {
        try (FederatedServer server = FederatedServer.start(job.batch(0), ListenSettings.local(0))) {
            List<Future<FederatedClient.Summary>> clients = join(server.uri(), 3);
            assertThat(server.await(LIMIT)).hasSize(2);
            for (Future<FederatedClient.Summary> client : clients) {
                assertThat(of(client).rounds()).isEqualTo(2);
            }
        }
        try (SavedModel saved = SavedModel.load(job.output().resolve("model"))) {
            return dev.tutti.federated.SharedParameters.of(saved.model(), List.of())
                    .read(saved.model());
        }
    }

    @ParameterizedTest
    @EnumSource(DifferentialPrivacy.Place.class)
    void aSpentBudgetEndsTheRunAndStaysSpent(DifferentialPrivacy.Place place) throws Exception {
        DifferentialPrivacy privacy = new DifferentialPrivacy()
                .noise(2)
                .clip(0.5)
                .delta(1e-3)
                .epsilon(4)
                .place(place);
        FederatedJob job = job().rounds(50).privacy(privacy).least(1);
        int done;
        try (FederatedServer server = FederatedServer.start(job, ListenSettings.local(0))) {
            join(server.uri(), 3);
            List<RoundResult> rounds = server.await(LIMIT);
            done = rounds.size();
            assertThat(done).isBetween(1, 20);
            assertThat(server.ending()).contains("budget is spent");
            assertThat(rounds.get(done - 1).epsilon()).isLessThanOrEqualTo(4);
        }
        try (FederatedServer again = FederatedServer.start(job, ListenSettings.local(0))) {
            assertThat(again.await(LIMIT)).as("a restart spends no more").hasSize(done);
        }
    }

    @Test
    void aServerThatIsStartedAgainGoesOnAndClientsComeBack() throws Exception {
        FederatedJob job = job().rounds(1);
        int port;
        List<Future<FederatedClient.Summary>> clients;
        FederatedServer first = FederatedServer.start(job.rounds(60), ListenSettings.local(0));
        port = first.port();
        clients = join(first.uri(), 3);
        awaitRounds(first, 2);
        first.close(); // in the middle of a round
        int before = first.results().size();
        try (FederatedServer second = FederatedServer.start(job.rounds(before + 3), ListenSettings.local(port))) {
            assertThat(second.results()).hasSize(before);
            assertThat(second.await(LIMIT)).hasSize(before + 3);
            for (Future<FederatedClient.Summary> client : clients) {
                assertThat(of(client).ending()).contains("rounds are done");
            }
        }
    }

    private static void awaitRounds(FederatedServer server, int rounds) throws InterruptedException {
        long giveUp = System.nanoTime() + LIMIT.toNanos();
        while (server.results().size() < rounds) {
            assertThat(System.nanoTime()).as("rounds go on").isLessThan(giveUp);
            Thread.sleep(10);
        }
    }

    @Test
    void aServerWithoutClientsGivesUp() {
        FederatedJob job = job().patience(Duration.ofMillis(300));
        try (FederatedServer server = FederatedServer.start(job, ListenSettings.local(0))) {
            assertThatThrownBy(() -> server.await(LIMIT))
                    .isInstanceOf(TuttiException.class)
                    .hasMessageContaining("0 clients are there")
                    .hasMessageContaining("3 are needed");
        }
    }

    @Test
    void aClientWithoutAServerGivesUp() {
        FederatedClient client = FederatedClient.to(URI.create("http://127.0.0.1:1"))
                .data("rows", rows(0))
                .patience(Duration.ofMillis(500));
        assertThatThrownBy(client::run).isInstanceOf(TuttiException.class).hasMessageContaining("was not reached");
    }

    @Test
    void aPolicyDeclines() {
        FederatedJob job = job().epochs(5);
        try (FederatedServer server = FederatedServer.start(job, ListenSettings.local(0))) {
            assertThatThrownBy(() -> client(server.uri(), 0)
                            .policy(ClientPolicy.DEFAULT.maxEpochs(2))
                            .run())
                    .hasMessageContaining("5 epochs in a round are more than 2");
            assertThatThrownBy(() -> client(server.uri(), 0)
                            .policy(ClientPolicy.DEFAULT.jobs("faces"))
                            .run())
                    .hasMessageContaining("'clusters' is none of [faces]");
            assertThatThrownBy(() -> client(server.uri(), 0)
                            .policy(ClientPolicy.DEFAULT.requireSecure())
                            .run())
                    .hasMessageContaining("without masks");
            assertThatThrownBy(() -> client(server.uri(), 0)
                            .policy(ClientPolicy.DEFAULT.requirePrivacy(1, 8))
                            .run())
                    .hasMessageContaining("differential privacy");
            assertThatThrownBy(() -> FederatedClient.to(server.uri())
                            .data("other", rows(0))
                            .run())
                    .hasMessageContaining("'rows' is none that this client offers");
        }
    }

    @Test
    void tokensLetIn() {
        FederatedJob job = job();
        try (FederatedServer server =
                FederatedServer.start(job, ListenSettings.local(0).token("let me in"))) {
            assertThatThrownBy(() -> client(server.uri(), 0).token("open").run())
                    .hasMessageContaining("status 401")
                    .hasMessageContaining("enrolment token");
            Future<FederatedClient.Summary> welcome = threads.submit(
                    () -> client(server.uri(), 0).token("let me in").run());
            assertThatThrownBy(() -> welcome.get(1, TimeUnit.SECONDS))
                    .as("it waits for others")
                    .isNotInstanceOf(ExecutionException.class);
        }
        assertThatThrownBy(() -> ListenSettings.local(0).host("0.0.0.0")).hasMessageContaining("enrolment token");
    }
}
