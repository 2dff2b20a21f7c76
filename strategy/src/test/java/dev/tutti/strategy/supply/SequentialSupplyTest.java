package dev.tutti.strategy.supply;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.data.source.RowSupplies;
import dev.tutti.data.source.RowSupply;
import dev.tutti.data.source.SuppliedSource;
import dev.tutti.json.Json;
import dev.tutti.metric.Mean;
import dev.tutti.metric.MeanMetric;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.checkpoint.CheckpointSaver;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All-reduce over rows that can only be read in order: each is parsed by one member, and counts once per epoch. */
@Timeout(120)
class SequentialSupplyTest {
    private static final int[] ROWS = {13, 7, 0, 20, 5, 11, 9, 16, 3};
    private static final int ALL = IntStream.of(ROWS).sum();

    static {
        Json.register(Number.class, "rowNumber");
        Json.register(Square.class, "rowSquare");
    }

    @TempDir
    Path folder;

    /** The mean of the rows' numbers. */
    private record Number() implements MeanMetric {
        @Override
        public void measure(NdArray predictions, NdArray targets, Mean mean) {
            for (int i = 0; i < targets.size(); i++) {
                mean.add(targets.at(i));
            }
        }
    }

    /** The mean of the squares of the rows' numbers. */
    private record Square() implements MeanMetric {
        @Override
        public void measure(NdArray predictions, NdArray targets, Mean mean) {
            for (int i = 0; i < targets.size(); i++) {
                mean.add(targets.at(i) * targets.at(i));
            }
        }
    }

    private record Ending(History history, Map<String, NdArray> weights) {}

    private static Ending train(Dataset data, Fit fit) {
        try (Trainer trainer = Trainer.of(dense(1), sgd(1e-5), mse())
                .metrics(new Number(), new Square())
                .cores(1)) {
            // A look at the rows' shapes would parse one of them.
            trainer.build(Dataset.of(NdArray.of(new float[2], 1, 2), NdArray.of(new float[1], 1, 1)));
            return new Ending(trainer.fit(data, fit), trainer.model().arrays());
        }
    }

    private static Fit fit(Launcher place, int epochs) {
        return epochs(epochs).on(place).with(allReduce().evenShares());
    }

    private static void assertEachRowOnce(EpochResult epoch) {
        assertThat(epoch.training().samples()).isEqualTo(ALL);
        assertThat(epoch.training().get("number"))
                .isEqualTo(IntStream.range(0, ALL).average().orElseThrow());
        assertThat(epoch.training().get("square"))
                .isEqualTo(IntStream.range(0, ALL)
                        .mapToDouble(i -> (double) i * i)
                        .average()
                        .orElseThrow());
    }

    private static void assertAlike(Map<String, Ending> members) {
        Ending first = members.values().iterator().next();
        members.forEach((name, member) -> {
            assertThat(member.weights).as(name).isEqualTo(first.weights);
            member.history.epochs().forEach(SequentialSupplyTest::assertEachRowOnce);
        });
    }

    @Test
    void eachRowIsParsedByOneOfFourMembers() {
        LineFiles files = new LineFiles(folder, ROWS);
        Dataset data = Dataset.of(files).shuffle(3).batch(8);
        TestingCluster cluster = new TestingCluster(4);
        Map<String, Ending> members = cluster.run(place -> train(data, fit(place, 2)));
        assertThat(members).hasSize(4);
        assertAlike(members);
        assertThat(files.parsed()).hasSize(ALL);
        assertThat(files.parsed().values()).containsOnly(2); // once for each epoch
        assertThat(cluster.used(0).values())
                .as("every member reads")
                .contains("worker-0", "worker-1", "worker-2", "worker-3");
    }

    @Test
    void fewerPartsThanMembersAreSharedRowByRow() {
        LineFiles files = new LineFiles(folder, 30, 40);
        Map<String, Ending> members =
                new TestingCluster(3).run(place -> train(Dataset.of(files).batch(9), fit(place, 1)));
        Ending alone = train(Dataset.of(files).batch(9), epochs(1));
        members.forEach((name, member) ->
                assertThat(member.history.epochs().get(0).steps()).isEqualTo(8));
        assertThat(members.get("worker-1").weights.keySet()).isEqualTo(alone.weights.keySet());
        assertThat(files.parsed().values()).containsOnly(4);
    }

    @Test
    void eachRowCountsOnceWhenAMemberIsLost() {
        LineFiles files = new LineFiles(folder, ROWS);
        Dataset data = Dataset.of(files).shuffle(3).batch(8);
        for (String point : List.of(
                "lease", "used", "before tally", "after tally", "before rows used", "after rows used", "check")) {
            for (int time : new int[] {1, 3}) {
                Map<String, Ending> members = new TestingCluster(4, TestingCluster.killing("worker-2", point, time))
                        .run(place -> train(data, fit(place, 2)));
                assertThat(members).as(point + " " + time).hasSize(3);
                assertAlike(members);
            }
        }
    }

    @Test
    void aMemberThatIsDeclaredGoneComesBack() {
        Dataset data = Dataset.of(new LineFiles(folder, ROWS)).shuffle(3).batch(8);
        AtomicInteger times = new AtomicInteger();
        TestingCluster[] cluster = new TestingCluster[1];
        cluster[0] = new TestingCluster(3, (member, point) -> {
            if (member.equals("worker-1") && point.equals("before tally") && times.incrementAndGet() == 4) {
                cluster[0].giveUp("worker-1");
            }
        });
        Map<String, Ending> members = cluster[0].run(place -> train(data, fit(place, 2)));
        assertThat(members).hasSize(3);
        assertAlike(members);
    }

    @Test
    void anEpochGoesOnInItsMiddleWithAnotherNumberOfMembers() {
        Dataset data = Dataset.of(new LineFiles(folder, ROWS)).shuffle(3).batch(8);
        for (int later : new int[] {1, 2, 5}) {
            Path checkpoints = folder.resolve("checkpoints-" + later);
            new TestingCluster(4).run(place -> {
                AtomicInteger asked = new AtomicInteger();
                return train(
                        data,
                        fit(place, 2)
                                .callbacks(new CheckpointSaver(checkpoints))
                                .until(() -> asked.incrementAndGet() > 12));
            });
            Map<String, Ending> members = new TestingCluster(later)
                    .run(place -> train(data, fit(place, 2).resume(checkpoints)));
            assertThat(members).hasSize(later);
            assertAlike(members);
        }
    }

    // ---- rows that the place of a member supplies

    /** Every member has the parts whose number is its own modulo 4. */
    private RowSupply supplyOf(LineFiles files, int member) {
        return (source, part, skip) -> {
            assertThat(source).isEqualTo("orders");
            return part % 4 == member ? Optional.of(files.cursor(part, skip)) : Optional.empty();
        };
    }

    private Map<String, Ending> trainSupplied(LineFiles files, TestingCluster cluster) {
        AtomicInteger numbers = new AtomicInteger();
        Dataset data =
                Dataset.of(new SuppliedSource("orders", ROWS.length)).shuffle(3).batch(8);
        return cluster.run(place -> {
            try (var installed = RowSupplies.forThread(supplyOf(files, numbers.getAndIncrement()))) {
                return train(data, fit(place, 2).validate(data));
            }
        });
    }

    @Test
    void rowsThatEachMemberSuppliesAreReadWhereTheyAre() {
        LineFiles files = new LineFiles(folder, ROWS);
        Map<String, Ending> members = trainSupplied(files, new TestingCluster(4));
        assertThat(members).hasSize(4);
        assertAlike(members);
        members.values()
                .forEach(member -> member.history.epochs().forEach(epoch -> {
                    assertThat(epoch.measured().samples()).isEqualTo(ALL);
                    assertThat(epoch.measured().get("square"))
                            .isEqualTo(epoch.training().get("square"));
                }));
        assertThat(files.parsed().values()).as("for training and validation").containsOnly(4);
    }

    @Test
    void rowsThatWereLostWithTheirMemberAreMissed() {
        LineFiles files = new LineFiles(folder, ROWS);
        assertThatThrownBy(() -> trainSupplied(
                        files, new TestingCluster(4, TestingCluster.killing("worker-2", "before tally", 3))))
                .hasStackTraceContaining("are supplied to no member");
    }

    @Test
    void aPlaceThatSuppliesNothingSaysSo() {
        Dataset data = Dataset.of(new SuppliedSource("orders", 2)).batch(8);
        assertThatThrownBy(data::spec).hasMessageContaining("the rows of 'orders' are supplied by the place");
        try (var installed = RowSupplies.forJvm((source, part, skip) -> Optional.empty())) {
            assertThatThrownBy(data::spec).hasMessageContaining("none of the 2 parts of the data is here");
        }
        assertThatThrownBy(() -> new SuppliedSource("orders", 0)).hasMessageContaining("1 part or more, received 0");
    }
}
