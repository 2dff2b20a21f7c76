package dev.tutti.federated.server;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.federated.ClientDescription;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.federated.aggregate.FedAvgM;
import dev.tutti.federated.aggregate.FedBuff;
import dev.tutti.federated.server.FederatedRounds.Progress;
import dev.tutti.nn.Input;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FederatedRoundsTest {
    private static FederatedJob job() {
        return FederatedJob.of("test", dense(1), List.of(Input.of(1)), sgd(0.1), mse())
                .deadline(Duration.ofSeconds(10))
                .rounds(3)
                .least(2);
    }

    private static List<ClientDescription> clients(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> ClientDescription.of("c" + i))
                .toList();
    }

    private static ClientUpdate update(String client, int round, float... delta) {
        return ClientUpdate.of(client, round, 1, delta);
    }

    @Test
    void aRoundIsCompleteWhenAllHaveAnswered() {
        FederatedRounds rounds = new FederatedRounds(job(), new float[] {0, 0});
        assertThat(rounds.begin(clients(3), 0)).hasSize(3);
        for (int i = 0; i < 3; i++) {
            assertThat(rounds.progress(1)).isEqualTo(Progress.OPEN);
            assertThat(rounds.admit("c" + i, 1, 1)).isEqualTo(Verdict.ACCEPTED);
            assertThat(rounds.add(update("c" + i, 1, 3, 0))).isEqualTo(Verdict.ACCEPTED);
        }
        assertThat(rounds.progress(1)).isEqualTo(Progress.ENOUGH);
        assertThat(rounds.close(2000).seconds()).isEqualTo(2);
        assertThat(rounds.model()).containsExactly(3, 0);
        assertThat(rounds.round()).isEqualTo(2);
    }

    @Test
    void lateDoubledOldForeignAndMalformedAnswersAreCountedAndRefused() {
        FederatedRounds rounds = new FederatedRounds(
                job().selection(new Selection().fraction(0.5)).rounds(9), new float[] {0, 0});
        List<String> asked =
                rounds.begin(clients(8), 0).stream().map(ClientDescription::id).toList();
        String other = clients(8).stream()
                .map(ClientDescription::id)
                .filter(id -> !asked.contains(id))
                .findFirst()
                .orElseThrow();
        assertThat(rounds.admit(asked.get(0), 1, 1)).isEqualTo(Verdict.ACCEPTED);
        rounds.add(update(asked.get(0), 1, 1, 1));
        assertThat(rounds.admit(asked.get(0), 1, 2)).isEqualTo(Verdict.DOUBLED);
        assertThat(rounds.admit(other, 1, 2)).isEqualTo(Verdict.NOT_ASKED);
        assertThat(rounds.admit(asked.get(1), 7, 2)).isEqualTo(Verdict.OLD_ROUND);
        assertThat(rounds.admit(asked.get(1), 1, 2)).isEqualTo(Verdict.ACCEPTED);
        assertThat(rounds.add(update(asked.get(1), 1, Float.NaN, 1))).isEqualTo(Verdict.MALFORMED);
        assertThat(rounds.admit(asked.get(2), 1, 3)).isEqualTo(Verdict.ACCEPTED);
        assertThat(rounds.add(update(asked.get(2), 1, 1, 2, 3))).isEqualTo(Verdict.MALFORMED);
        assertThat(rounds.admit(asked.get(3), 1, 10_001)).isEqualTo(Verdict.LATE);
        assertThat(rounds.progress(10_001)).isEqualTo(Progress.TOO_FEW);
        rounds.abandon();
        assertThat(rounds.model()).as("the model stays").containsExactly(0, 0);
        assertThat(rounds.round()).isEqualTo(1);
        rounds.begin(clients(8), 20_000);
        assertThat(rounds.progress(20_001)).isEqualTo(Progress.OPEN);
    }

    @Test
    void enoughAnswersAtTheDeadlineCompleteARound() {
        FederatedRounds rounds = new FederatedRounds(job(), new float[] {0});
        rounds.begin(clients(5), 0);
        for (String client : List.of("c3", "c1")) {
            rounds.admit(client, 1, 5);
            rounds.add(update(client, 1, 4));
        }
        assertThat(rounds.progress(10_000)).isEqualTo(Progress.OPEN);
        assertThat(rounds.progress(10_001)).isEqualTo(Progress.ENOUGH);
        assertThat(rounds.close(10_001).answers()).isEqualTo(2);
        assertThat(rounds.admit("c2", 1, 10_002)).isEqualTo(Verdict.OLD_ROUND);
    }

    @Test
    void ofMoreThanAreNeededTheFirstCount() {
        FederatedRounds rounds = new FederatedRounds(
                job().selection(new Selection().fraction(0.4).over(1.5)), new float[] {0});
        List<ClientDescription> asked = rounds.begin(clients(10), 0);
        assertThat(asked).hasSize(6);
        for (int i = 0; i < 4; i++) {
            assertThat(rounds.admit(asked.get(i).id(), 1, 1)).isEqualTo(Verdict.ACCEPTED);
            rounds.add(update(asked.get(i).id(), 1, 1));
        }
        assertThat(rounds.admit(asked.get(4).id(), 1, 2)).isEqualTo(Verdict.LATE);
        assertThat(rounds.progress(2)).isEqualTo(Progress.ENOUGH);
    }

    @Test
    void selectionGoesByLabelsAndResources() {
        Selection selection = new Selection().labels(Map.of("site", "hospital")).resources(Map.of("cores", 2.0));
        List<ClientDescription> present = List.of(
                new ClientDescription("a", Map.of("site", "hospital"), Map.of("cores", 4.0)),
                new ClientDescription("b", Map.of("site", "hospital"), Map.of("cores", 1.0)),
                new ClientDescription("c", Map.of("site", "bank"), Map.of("cores", 8.0)),
                ClientDescription.of("d"));
        assertThat(selection.choose(present, 1).clients())
                .extracting(ClientDescription::id)
                .containsExactly("a");
        assertThat(selection.minimum(2).choose(present, 1).clients()).isEmpty();
    }

    @Test
    void theSameSeedChoosesTheSameClientsAndAnotherRoundOthers() {
        Selection selection = new Selection().fraction(0.1);
        assertThat(selection.choose(clients(100), 3)).isEqualTo(selection.choose(clients(100), 3));
        assertThat(selection.choose(clients(100), 3)).isNotEqualTo(selection.choose(clients(100), 4));
    }

    @Test
    void failingAgainAndAgainEndsTheRun() {
        FederatedRounds rounds = new FederatedRounds(job(), new float[] {0});
        for (int i = 0; i < 9; i++) {
            rounds.begin(clients(3), i * 20_000L);
            rounds.abandon();
        }
        rounds.begin(clients(3), 200_000);
        assertThatThrownBy(rounds::abandon)
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("failed 10 times in a row")
                .hasMessageContaining("2 are needed");
    }

    @Test
    void aRestoredRunGoesOnToTheSameBits() {
        FederatedJob job = job().aggregation(new FedAvgM());
        FederatedRounds straight = new FederatedRounds(job, new float[] {0, 1});
        play(straight, 0);
        RunSnapshot saved = straight.snapshot();
        FederatedRounds resumed = new FederatedRounds(job, new float[] {0, 1});
        resumed.restore(saved);
        play(straight, 100);
        play(resumed, 100);
        assertThat(resumed.model()).containsExactly(straight.model());
        assertThat(resumed.results()).hasSize(2);
        FederatedRounds other = new FederatedRounds(job.name("other"), new float[] {0, 1});
        assertThatThrownBy(() -> other.restore(saved)).hasMessageContaining("job 'test'");
    }

    private static void play(FederatedRounds rounds, long now) {
        int round = rounds.round();
        for (ClientDescription client : rounds.begin(clients(3), now)) {
            rounds.admit(client.id(), round, now);
            rounds.add(update(client.id(), round, 1, 2));
        }
        rounds.close(now + 1);
    }

    @Test
    void asynchronousRoundsTakeAnyFreshEnoughAnswer() {
        FederatedRounds rounds = new FederatedRounds(
                job().aggregation(new FedBuff().buffer(2).staleness(1)).least(1), new float[] {0});
        rounds.begin(clients(4), 0);
        assertThat(rounds.admit("c0", 1, 1)).isEqualTo(Verdict.ACCEPTED);
        rounds.add(update("c0", 1, 2));
        assertThat(rounds.progress(1)).isEqualTo(Progress.OPEN);
        rounds.admit("c1", 1, 1);
        rounds.add(update("c1", 1, 4));
        rounds.close(2);
        assertThat(rounds.model()).containsExactly(3);
        rounds.begin(clients(4), 3);
        assertThat(rounds.admit("c2", 1, 4)).as("one model old").isEqualTo(Verdict.ACCEPTED);
        assertThat(rounds.admit("c3", 0, 4)).as("two models old").isEqualTo(Verdict.OLD_ROUND);
    }
}
