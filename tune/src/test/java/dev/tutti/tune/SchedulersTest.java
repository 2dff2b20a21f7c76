package dev.tutti.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Schedulers and searchers on functions whose best point is known. */
class SchedulersTest {
    private static final SearchSpace RATE = SearchSpace.of("rate: {log: [1e-4, 1]}\nother: {uniform: [0, 1]}", "job");

    /** Best at a rate of 0.01; better settings show early, but not reliably. */
    private static double accuracy(Trial trial, int epoch) {
        double distance = Math.log10(trial.values().get("rate").doubleValue()) + 2;
        double noise = 0.02 * Math.sin(17.0 * trial.number() + epoch) / epoch;
        return (1 - 0.2 * distance * distance) * (1 - Math.exp(-epoch / 3.0)) + noise;
    }

    private static SimulatedSearch search(TuneSettings settings, int epochs) {
        return new SimulatedSearch(RATE, settings, epochs, true, SchedulersTest::accuracy).run();
    }

    @Test
    void ashaFindsAsGoodAConfigurationWithAThirdOfTheEpochs() {
        TuneSettings settings = TuneSettings.defaults().trials(27).places(2).search("random");
        List<Double> shares = IntStream.range(0, 5)
                .mapToObj(seed -> {
                    TrialTable all = search(settings.scheduler("none").seed(seed), 27).table;
                    TrialTable asha = search(settings.scheduler("asha").seed(seed), 27).table;
                    assertThat(asha.best().orElseThrow().last().getAsDouble())
                            .isGreaterThan(all.best().orElseThrow().last().getAsDouble() - 0.01);
                    return asha.epochs() / (double) all.epochs();
                })
                .sorted()
                .toList();

        assertThat(shares.get(2)).isLessThan(1 / 3.0);
    }

    @Test
    void ashaLetsOneOfThreeGoOnAtEachRung() {
        TrialTable table = search(TuneSettings.defaults().trials(27).places(3).search("random"), 9).table;

        assertThat(table.rankedAt(1)).hasSize(27);
        assertThat(table.rankedAt(9).size()).isBetween(3, 5);
        assertThat(table.rankedAt(3).size()).isBetween(9, 13);
        assertThat(table.rankedAt(1).subList(0, 9))
                .allSatisfy(trial -> assertThat(trial.epochs()).isGreaterThan(1));
    }

    @Test
    void hyperbandHalvesEachBracketWhenItIsComplete() {
        TrialTable table = search(
                        TuneSettings.defaults()
                                .trials(17)
                                .places(2)
                                .search("random")
                                .scheduler("hyperband"),
                        9)
                .table;

        // 9 trials from 1 epoch, 5 from 3, 3 with all 9.
        List<Trial> first = table.trials().subList(0, 9);
        assertThat(first.stream().filter(trial -> trial.epochs() == 9)).hasSize(1);
        assertThat(first.stream().filter(trial -> trial.epochs() == 3)).hasSize(2);
        assertThat(first.stream().filter(trial -> trial.epochs() == 1)).hasSize(6);
        assertThat(table.trials().subList(14, 17))
                .allSatisfy(trial -> assertThat(trial.epochs()).isEqualTo(9));
        Trial winner =
                first.stream().filter(trial -> trial.epochs() == 9).findFirst().orElseThrow();
        assertThat(winner)
                .isIn(first.stream()
                        .sorted(Comparator.comparingDouble(
                                trial -> -trial.measured().get(1)))
                        .limit(3)
                        .toList());
    }

    @Test
    void populationTrainingMovesTheWorstToTheBest() {
        SimulatedSearch search = search(
                TuneSettings.defaults()
                        .trials(8)
                        .places(3)
                        .search("random")
                        .scheduler("pbt")
                        .interval(2),
                6);

        assertThat(search.table.trials())
                .allSatisfy(trial -> assertThat(trial.state()).isEqualTo(TrialState.FINISHED));
        List<TrialEvent> taken = search.journal.stream()
                .filter(event -> event.what() == TrialEvent.Kind.EXCHANGED && event.source() != null)
                .toList();
        assertThat(taken).hasSize(4); // a quarter of 8, after 2 and after 4 epochs
        assertThat(taken).allSatisfy(event -> {
            double own = search.table.trial(event.trial()).measured().get(event.epoch());
            double source = search.table.trial(event.source()).measured().get(event.epoch());
            assertThat(source).isGreaterThan(own);
        });
    }

    @Test
    void parzenEstimatorsBeatRandomPoints() {
        TuneSettings settings = TuneSettings.defaults().trials(30).places(1).scheduler("none");
        int wins = 0;
        for (int seed = 0; seed < 5; seed++) {
            wins += meanDistance(search(settings.search("tpe").seed(seed), 3))
                            < 0.7
                                    * meanDistance(
                                            search(settings.search("random").seed(seed), 3))
                    ? 1
                    : 0;
        }
        assertThat(wins).isGreaterThanOrEqualTo(4);
    }

    /** How far the last ten points are from the best one. */
    private static double meanDistance(SimulatedSearch search) {
        return search.table.trials().subList(20, 30).stream()
                .mapToDouble(
                        trial -> Math.abs(Math.log10(trial.values().get("rate").doubleValue()) + 2))
                .average()
                .orElseThrow();
    }

    @Test
    void theJournalAloneGivesTheTable() {
        SimulatedSearch search = search(TuneSettings.defaults().trials(20).places(2), 9);
        TrialTable again = new TrialTable(true);
        search.journal.forEach(again::apply);

        assertThat(again.trials()).usingRecursiveComparison().isEqualTo(search.table.trials());
    }
}
