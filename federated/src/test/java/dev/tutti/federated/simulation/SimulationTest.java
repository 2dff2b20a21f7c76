package dev.tutti.federated.simulation;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.federated.aggregate.Aggregation;
import dev.tutti.federated.aggregate.FedAvg;
import dev.tutti.federated.aggregate.FedBuff;
import dev.tutti.federated.aggregate.FedProx;
import dev.tutti.federated.aggregate.Krum;
import dev.tutti.federated.aggregate.QFedAvg;
import dev.tutti.federated.aggregate.Scaffold;
import dev.tutti.federated.aggregate.TrimmedMean;
import dev.tutti.nn.Input;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Evaluation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {
    private static final Dataset DATA = clusters(1200, 1);
    private static final Dataset TEST = clusters(300, 2);

    private static Dataset clusters(int rows, long seed) {
        Random random = new Random(seed);
        float[] x = new float[rows * 8];
        long[] y = new long[rows];
        long[] owner = new long[rows];
        for (int r = 0; r < rows; r++) {
            y[r] = r % 4;
            owner[r] = (r / 7) % 9;
            for (int f = 0; f < 8; f++) {
                x[r * 8 + f] = (float) random.nextGaussian() * 0.7f + (f % 4 == y[r] ? 1 : 0);
            }
        }
        return Dataset.of(List.of(NdArray.of(x, rows, 8)), List.of(NdArray.of(y, rows), NdArray.of(owner, rows)));
    }

    private static Dataset withoutOwner(Dataset data) {
        return PartitionTable.of(data).without("label1").part(0, 1);
    }

    private static FederatedJob job() {
        return FederatedJob.of(
                        "clusters",
                        Sequential.of(dense(16).relu(), dense(4)),
                        List.of(Input.of(8)),
                        sgd(0.2),
                        softmaxCrossEntropy())
                .metrics(accuracy())
                .batch(10)
                .seed(3)
                .rounds(5)
                .selection(new Selection().fraction(0.3));
    }

    private static SimulationResult run(FederatedJob job, int threads) {
        return Simulation.of(job, withoutOwner(DATA), 20)
                .partition(Partitioner.parse("dirichlet:0.5"))
                .evaluateOn(withoutOwner(TEST))
                .threads(threads)
                .run();
    }

    static List<Aggregation> aggregations() {
        return List.of(
                new FedAvg(),
                new FedProx(),
                new Scaffold().clients(20),
                new QFedAvg(),
                new TrimmedMean(),
                new FedBuff().buffer(4));
    }

    @ParameterizedTest
    @MethodSource("aggregations")
    void learnsAndIsTheSameOnAnyNumberOfThreads(Aggregation aggregation) {
        FederatedJob job = job().aggregation(aggregation);
        SimulationResult one = run(job, 1);
        assertThat(run(job, 3).model()).containsExactly(one.model());
        assertThat(run(job.seed(4), 2).model()).isNotEqualTo(one.model());
        assertThat(one.rounds()).hasSize(5);
        double first = one.rounds().get(0).evaluation().loss();
        assertThat(one.last().orElseThrow().loss()).isLessThan(first);
    }

    @Test
    void conditionsMakeClientsLateAndLost() {
        SimulationResult result = Simulation.of(
                        job().selection(new Selection().fraction(0.5).over(1.4))
                                .deadline(java.time.Duration.ofMillis(400))
                                .least(2),
                        withoutOwner(DATA),
                        20)
                .conditions(new ClientConditions(0.8, 0.2, 1.5, 300))
                .run();
        assertThat(result.rounds()).hasSize(5);
        assertThat(result.rounds()).anyMatch(round -> round.verdicts().containsKey("late"));
        assertThat(result.rounds()).anyMatch(round -> round.answers() < round.asked());
        assertThat(result.simulatedSeconds()).isPositive();
    }

    /** The mean breaks, the others hold. */
    @Test
    void poisonedClientsBreakTheMeanAndNotTheRobustOnes() {
        FederatedJob job = job().selection(new Selection()).rounds(8);
        double mean = poisoned(job.aggregation(new FedAvg()));
        double trimmed = poisoned(job.aggregation(new TrimmedMean().beta(0.25)));
        double krum = poisoned(job.aggregation(new Krum().malicious(4)));
        assertThat(mean).isLessThan(0.5);
        assertThat(trimmed).isGreaterThan(0.7);
        assertThat(krum).isGreaterThan(0.7);
    }

    private static double poisoned(FederatedJob job) {
        return Simulation.of(job, withoutOwner(DATA), 20)
                .evaluateOn(withoutOwner(TEST))
                .poison(0.2)
                .run()
                .last()
                .orElseThrow()
                .get("accuracy");
    }

    @Test
    void aGoalEndsARun() {
        SimulationResult result = Simulation.of(job(), withoutOwner(DATA), 20)
                .until(round -> round.round() == 2)
                .run();
        assertThat(result.rounds()).hasSize(2);
        assertThat(result.ending()).contains("goal").contains("round 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"iid", "label:2", "dirichlet:0.1", "dirichlet:100", "quantity:0.2", "column:label1"})
    void partitionsHoldEachRowOnceAndAreRepeatable(String text) {
        PartitionTable table = PartitionTable.of(DATA);
        Partitioner partitioner = Partitioner.parse(text);
        List<int[]> parts = partitioner.divide(table::column, 1200, 20, 5);
        List<Integer> all = new ArrayList<>();
        parts.forEach(part -> Arrays.stream(part).forEach(all::add));
        assertThat(all).hasSize(1200).doesNotHaveDuplicates();
        assertThat(parts).hasSize(text.startsWith("column") ? 9 : 20).noneMatch(part -> part.length == 0);
        List<int[]> again = partitioner.divide(table::column, 1200, 20, 5);
        for (int i = 0; i < parts.size(); i++) {
            assertThat(again.get(i)).containsExactly(parts.get(i));
        }
    }

    @Test
    void partitionsSkewWhatTheySay() {
        PartitionTable table = PartitionTable.of(DATA);
        long[] labels = table.column("label");
        List<int[]> byLabel = Partitioner.parse("label:1").divide(table::column, 1200, 20, 5);
        assertThat(byLabel)
                .allMatch(part -> Arrays.stream(part)
                                .mapToLong(row -> labels[row])
                                .distinct()
                                .count()
                        == 1);
        List<int[]> natural = Partitioner.parse("column:label1").divide(table::column, 1200, 0, 5);
        long[] owners = table.column("label1");
        assertThat(natural)
                .allMatch(part -> Arrays.stream(part)
                                .mapToLong(row -> owners[row])
                                .distinct()
                                .count()
                        == 1);
        assertThat(skew(labels, Partitioner.parse("dirichlet:0.1").divide(table::column, 1200, 20, 5)))
                .isGreaterThan(skew(labels, Partitioner.parse("dirichlet:100").divide(table::column, 1200, 20, 5)));
        assertThatThrownBy(() -> Partitioner.parse("dirichlit:0.5")).hasMessageContaining("dirichlet");
    }

    /** The mean part of a client's rows that are of its most frequent class. */
    private static double skew(long[] labels, List<int[]> parts) {
        return parts.stream()
                .mapToDouble(part -> IntStream.range(0, 4)
                        .mapToDouble(label -> Arrays.stream(part)
                                        .filter(row -> labels[row] == label)
                                        .count()
                                / (double) part.length)
                        .max()
                        .orElseThrow())
                .average()
                .orElseThrow();
    }

    @Test
    void clientsAreEvaluatedEachAndTogether() {
        Simulation simulation = Simulation.of(job().clientEvaluation(5).personal("dense2"), withoutOwner(DATA), 20);
        SimulationResult result = simulation.run();
        Evaluation together = result.rounds().get(4).clients();
        assertThat(together.samples()).isEqualTo(1200);
        assertThat(result.rounds().get(3).clients()).isNull();
        assertThat(result.model()).as("the head stays at the clients").hasSize(8 * 16 + 16);
        Simulation whole = Simulation.of(job(), withoutOwner(DATA), 20);
        List<Evaluation> each = whole.perClient(whole.run().model());
        assertThat(each).hasSize(20);
        assertThat(ClientPicture.page("test", each)).contains("<svg").contains("20 clients");
    }
}
