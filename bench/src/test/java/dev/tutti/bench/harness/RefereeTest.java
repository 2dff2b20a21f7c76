package dev.tutti.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.bench.process.BenchProcesses;
import dev.tutti.bench.process.ContenderException;
import dev.tutti.bench.process.ProcessCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefereeTest {
    private static final Measure SPEED = Measure.samplesPerSecond();

    @TempDir
    Path folder;

    private BenchProcesses children;

    @BeforeEach
    void open() {
        children = new BenchProcesses(folder);
    }

    @AfterEach
    void close() {
        children.close();
    }

    @Test
    void bothSidesAreMeasuredInTurnAfterAWarmUpThatDoesNotCount() throws Exception {
        // Each answers with the number of the question, so the warm-up's would be 1, and notes who was asked.
        String counting = "echo '{\"ready\": true}'; n=0; while read line; do n=$((n + 1)); echo \"$1 $line\" >> log; "
                + "echo \"{\\\"samples_per_second\\\": $((n * $2))}\"; done";
        Race race = race(
                Scripts.throughput("ours", counting, "A", "100"), Scripts.throughput("theirs", counting, "B", "50"));

        ResultRow row = run(race, Scripts.PLAN).get(0);

        assertThat(row.failure()).isNull();
        int rounds = 3 * Scripts.PLAN.repetitions(); // short ones, a third as long
        assertThat(row.ours().values()).hasSize(rounds).startsWith(200.0, 300.0, 400.0);
        assertThat(row.theirs().values()).hasSize(rounds).startsWith(100.0, 150.0, 200.0);
        assertThat(row.ratio()).isEqualTo(2.0);
        List<String> expected = new ArrayList<>(List.of("A run work 0.01", "B run work 0.01"));
        for (int round = 0; round < rounds; round++) {
            expected.addAll(List.of("A run work 0.006", "B run work 0.006"));
        }
        assertThat(Files.readAllLines(folder.resolve("log"))).isEqualTo(expected);
    }

    @Test
    void aContenderThatHangsGivesARowThatSaysSo() {
        Entrant hanging = Scripts.throughput("Hanging", "echo '{\"ready\": true}'; exec sleep 1000");
        Race race = race(good(), hanging, Scripts.throughput("Other", Scripts.answering(speed(5))));

        List<ResultRow> rows = run(race, Scripts.patience(Duration.ofMillis(500)));

        assertThat(rows.get(0).failure()).isEqualTo("Hanging gave no answer within 0.51 s.");
        assertThat(rows.get(0).ours().median()).isEqualTo(10.0);
        assertThat(rows.get(0).theirs()).isNull();
        assertThat(rows.get(0).met()).isFalse();
        assertThat(rows.get(1).ratio()).isEqualTo(2.0);
    }

    @Test
    void aContenderThatDiesGivesARowWithItsExitCodeAndLastWords() {
        Entrant dying =
                Scripts.throughput("Dying", "echo '{\"ready\": true}'; read line; echo 'out of luck' >&2; exit 3");

        ResultRow row = run(race(good(), dying), Scripts.PLAN).get(0);

        assertThat(row.failure())
                .isEqualTo("Dying ended with exit code 3 before it answered. Its last words: out of luck");
    }

    @Test
    void aContenderThatCannotBeStartedGivesARowToo() {
        Entrant missing =
                new Entrant("Missing", ProcessCommand.of("./no-such-program"), new Entrant.Throughput("work"));
        assertThat(run(race(good(), missing), Scripts.PLAN).get(0).failure()).contains("Missing", "no-such-program");
    }

    @Test
    void whenOursFailsEveryRowSaysSo() {
        Entrant failing = Scripts.throughput("Ours", Scripts.answering("{\"error\": \"no such layer\"}"));
        List<ResultRow> rows = run(race(failing, good(), good()), Scripts.PLAN);
        assertThat(rows).extracting(ResultRow::failure).containsOnly("Ours failed: no such layer");
    }

    @Test
    void chatterBetweenAnswersIsPassedOver() {
        Entrant chatty = Scripts.throughput(
                "Chatty", "echo hello; echo '{}'; while read line; do echo 'step 1'; echo '" + speed(5) + "'; done");
        assertThat(run(race(good(), chatty), Scripts.PLAN).get(0).ratio()).isEqualTo(2.0);
    }

    @Test
    void anAnswerWithoutTheNumberNamesWhatWasMissing() {
        Entrant vague = Scripts.throughput("Vague", Scripts.answering("{\"steps\": 3}"));
        assertThat(run(race(good(), vague), Scripts.PLAN).get(0).failure())
                .isEqualTo("Vague was expected to answer with 'samples_per_second', but gave only steps.");
    }

    @Test
    void wholeCommandsAreTimedAndTheirJsonRead() {
        Measure accuracy = new Measure("metrics.accuracy", "accuracy", "share", Better.HIGHER);
        Entrant ours = Scripts.whole("Ours", "echo '{'; echo '\"metrics\": {\"accuracy\": 0.99}}'");
        Entrant peer = Scripts.whole("Peer", "echo '{\"metrics\": {\"accuracy\": 0.5}}'");
        Race race = new Race(
                "mnist",
                Cores.ALL,
                ours,
                List.of(
                        new Comparison(accuracy, peer, Optional.of(RequiredValue.ours(0.99))),
                        new Comparison(Measure.wallTime("time"), peer, Optional.empty())));

        List<ResultRow> rows = run(race, Scripts.PLAN);

        assertThat(rows.get(0).what()).isEqualTo("mnist, all cores: accuracy");
        assertThat(rows.get(0).ratio()).isEqualTo(1.98);
        assertThat(rows.get(0).met()).isTrue();
        assertThat(rows.get(1).ours().values()).hasSize(3).allMatch(seconds -> seconds > 0);
    }

    @Test
    void whatLibrariesPrintAroundTheObjectIsPassedOver() {
        Entrant chatty = Scripts.whole("Chatty", "echo '[Gloo] hi'; echo '{'; echo '\"a\": 1'; echo '}'; echo bye");
        assertThat(new Referee(children, Scripts.PLAN).once(chatty, Cores.ALL)).containsEntry("a", 1.0);
    }

    @Test
    void aThoroughRaceHasMoreRounds() {
        Race race = new Race("work", Cores.ONE, good(), List.of(new Comparison(SPEED, good(), Optional.empty())), 2);
        assertThat(run(race, Scripts.PLAN).get(0).ours().values()).hasSize(18);
    }

    @Test
    void aWholeCommandThatFailsOrPrintsNoJsonSaysSo() {
        Entrant failing = Scripts.whole("Failing", "echo 'no data' >&2; exit 2");
        Entrant silent = Scripts.whole("Silent", "echo done");
        Race race = new Race(
                "mnist", Cores.ALL, failing, List.of(new Comparison(Measure.wallTime(""), silent, Optional.empty())));
        assertThat(run(race, Scripts.PLAN).get(0).failure())
                .contains("Failing ended with exit code 2. Its last words: no data")
                .contains("Silent was expected to answer with one JSON object, but answered: done");
    }

    @Test
    void theFirstStepIsMeasuredWithANewProcessEachTime() throws Exception {
        String script = "echo \"$1 $$\" >> starts; " + Scripts.answering("{}");
        var style = new Entrant.FirstStep("work");
        Entrant ours = new Entrant("Ours", Scripts.sh(script, "A"), style);
        Entrant peer = new Entrant("Peer", Scripts.sh(script, "B"), style);
        Race race = new Race(
                "start", Cores.ONE, ours, List.of(new Comparison(Measure.wallTime(""), peer, Optional.empty())));

        ResultRow row = run(race, Scripts.PLAN).get(0);

        assertThat(row.failure()).isNull();
        assertThat(Files.readAllLines(folder.resolve("starts")))
                .hasSize(2 * (1 + 3))
                .doesNotHaveDuplicates();
    }

    @Test
    void thoseWhoDoNotStayAreWarmedUpAndEndedForEachMeasurement() throws Exception {
        String script = "echo '{\"ready\": true}'; while read line; do echo \"$$ $line\" >> log; echo '" + speed(5)
                + "'; done; echo \"$$ ended\" >> log";
        Entrant fresh = new Entrant("Fresh", Scripts.sh(script), new Entrant.Fresh("work"));

        assertThat(run(race(good(), fresh), Scripts.PLAN).get(0).ratio()).isEqualTo(2.0);

        List<String> log = Files.readAllLines(folder.resolve("log"));
        assertThat(log.stream()
                        .map(line -> line.substring(line.indexOf(' ') + 1))
                        .limit(4))
                .containsExactly("run work 0.03", "run work 0.02", "ended", "run work 0.03");
        assertThat(log.stream().map(line -> line.split(" ")[0]).distinct()).hasSize(3);
    }

    @Test
    void thoseWhoRunSideBySideAreAskedTogetherAndSummed() {
        // Each answers only once it sees that the other one was asked, too.
        String script = "echo '{\"ready\": true}'; n=0; while read line; do n=$((n + 1)); touch asked-$n-$$; "
                + "while [ $(ls asked-$n-* | wc -l) -lt 2 ]; do sleep 0.01; done; echo '" + speed(5) + "'; done";
        Entrant pair = new Entrant("Pair", Scripts.sh(script), new Entrant.SideBySide("work", 2));

        ResultRow row = run(race(good(), pair), Scripts.PLAN).get(0);

        assertThat(row.failure()).isNull();
        assertThat(row.theirs().values()).hasSize(9).containsOnly(10.0);
        assertThat(row.peerCommand()).startsWith("2 times at once");
    }

    @Test
    void aNumberThatIsKnownBeforehandNeedsNoProcess() {
        Entrant bound = Entrant.given("a bound", "samples_per_second", 10);
        Race race = new Race(
                "work",
                Cores.ONE,
                good(),
                List.of(new Comparison(SPEED, bound, Optional.of(RequiredValue.exactRatio(1)))));

        ResultRow row = run(race, Scripts.PLAN).get(0);

        assertThat(row.met()).isTrue();
        assertThat(row.peerCommand()).isEqualTo("the number 10.0");
    }

    @Test
    void oneEntrantCanBeMeasuredForItself() {
        Referee referee = new Referee(children, Scripts.PLAN);
        assertThat(referee.once(Scripts.whole("Alone", "echo '{\"accuracy\": 0.5}'"), Cores.ALL))
                .containsEntry("accuracy", 0.5);
        assertThatThrownBy(() -> referee.once(Scripts.whole("Failing", "exit 2"), Cores.ALL))
                .isInstanceOf(ContenderException.class)
                .hasMessageContaining("exit code 2");
    }

    private static Entrant good() {
        return Scripts.throughput("Good", Scripts.answering(speed(10)));
    }

    private static String speed(int value) {
        return "{\"samples_per_second\": " + value + "}";
    }

    private static Race race(Entrant ours, Entrant... peers) {
        return new Race(
                "work",
                Cores.ONE,
                ours,
                Arrays.stream(peers)
                        .map(peer -> new Comparison(SPEED, peer, Optional.of(RequiredValue.ratio(1))))
                        .toList());
    }

    private List<ResultRow> run(Race race, Plan plan) {
        return new Referee(children, plan).run(race);
    }
}
