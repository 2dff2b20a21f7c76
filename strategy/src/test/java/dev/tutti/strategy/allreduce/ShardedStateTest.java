package dev.tutti.strategy.allreduce;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.adamW;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.TestingCluster.killing;
import static dev.tutti.strategy.compression.Compressions.fp16;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.Weights;
import dev.tutti.strategy.compression.GradientSum;
import dev.tutti.tensor.Scope;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.StateLostException;
import dev.tutti.train.replica.StateRedistribution;
import dev.tutti.train.worker.LocalWorkers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An optimizer's state in parts is the whole state, but for where it lies. */
@Timeout(180)
class ShardedStateTest {
    private static final Dataset UNEVEN = Blobs.data(99).batch(24);

    static Stream<Optimizer> optimizers() {
        return Stream.of(
                sgd(0.1).momentum(0.9),
                adam(0.01).clipNorm(0.5),
                adamW(0.01).noDecay("bias").clipValue(0.1));
    }

    private static Supplier<Trainer> trainer(Optimizer optimizer) {
        return () -> Trainer.of(Sequential.of(dense(17).tanh(), dense(Blobs.CLASSES)), optimizer, softmaxCrossEntropy())
                .cores(1);
    }

    @ParameterizedTest
    @MethodSource("optimizers")
    void equalsOneMachine(Optimizer optimizer) {
        Map<String, NdArray> one = one(optimizer);
        for (int members = 1; members <= 4; members++) {
            List<Members.Result> results = Members.of(members)
                    .fit(trainer(optimizer), UNEVEN, epochs(20).with(allReduce().shardedState()));
            Weights.assertClose(Weights.ofAll(results), one, 1e-5);
        }
    }

    private static Map<String, NdArray> one(Optimizer optimizer) {
        try (Trainer trainer = trainer(optimizer).get()) {
            trainer.fit(UNEVEN, epochs(20));
            return trainer.model().arrays();
        }
    }

    @Test
    void alsoWithThreadsAccumulationAndCompression() {
        Optimizer optimizer = adam(0.01).clipNorm(0.5);
        Dataset small = Blobs.data(99).batch(6);
        Map<String, NdArray> one = one(optimizer);
        List<Members.Result> results = Members.of(3)
                .threads(2)
                .fit(
                        trainer(optimizer),
                        small,
                        epochs(20).accumulate(4).with(allReduce().shardedState()));
        Weights.assertClose(Weights.ofAll(results), one, 1e-5);
        List<Members.Result> compressed = Members.of(2)
                .fit(
                        trainer(optimizer),
                        UNEVEN,
                        epochs(20).with(allReduce().compression(fp16()).shardedState()));
        Weights.assertClose(Weights.ofAll(compressed), one, 0.05);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void cutsCoverTheVectorInWholeBlocks(int members) {
        for (long size : new long[] {0, 1, 15, 16, 79, 80, 81, 1000, 4096}) {
            long at = 0;
            for (int rank = 0; rank < members; rank++) {
                Range range = new ShardLayout(group(members, rank), size).own();
                assertThat(range.from()).isEqualTo(at);
                assertThat(range.from() % 16).isZero();
                at = range.to();
            }
            assertThat(at).isEqualTo(size);
        }
    }

    private static Group group(int members, int rank) {
        return new Group(
                1,
                rank,
                IntStream.range(0, members)
                        .mapToObj(i -> new Member("worker-" + i, "here"))
                        .toList());
    }

    @Test
    void eachHoldsAPartOfTheState() {
        List<Long> elements = Members.of(3).with(collectives -> {
            try (ShardedExchange sharded = sharded()) {
                form(sharded, collectives);
                step(sharded);
                return sharded.workers().state().get("velocity").size();
            }
        });
        try (Model model = model()) {
            assertThat(elements.stream().mapToLong(each -> each).sum())
                    .isEqualTo(model.vector().size());
            assertThat(Collections.max(elements)).isLessThan(model.vector().size() / 3 + 3 * 16);
        }
    }

    @Test
    void checkpointsHoldTheWholeState(@TempDir Path folder) {
        Supplier<Trainer> trainer = trainer(adam(0.01));
        Map<String, NdArray> expected = Weights.ofAll(
                Members.of(2).fit(trainer, UNEVEN, epochs(3).with(allReduce().shardedState())));
        Members.of(2)
                .fit(
                        trainer,
                        UNEVEN,
                        epochs(3)
                                .with(allReduce().shardedState())
                                .callbacks(checkpoint(folder).everySteps(4), stopAt(7)));
        assertThat(new CheckpointFolder(folder).files())
                .extracting(file -> file.getFileName().toString())
                .contains("step-000000004.manifest.json");
        assertThat(folder).isDirectoryContaining(file -> file.toString().contains(".part-1."));
        Map<String, NdArray> resumed = Weights.ofAll(Members.of(2)
                .fit(trainer, UNEVEN, epochs(3).with(allReduce().shardedState()).resume(folder)));
        assertThat(resumed).isEqualTo(expected);
        Map<String, NdArray> other = Weights.ofAll(
                Members.of(3).fit(trainer, UNEVEN, epochs(3).with(allReduce()).resume(folder)));
        Weights.assertClose(other, expected, 1e-5);
    }

    private static Callback stopAt(long step) {
        return new Callback() {
            @Override
            public void step(Run run) {
                if (run.step() == step) {
                    run.stop("cut");
                }
            }
        };
    }

    @Test
    void whoSavesTheStateWithoutHavingAskedIsToldSo(@TempDir Path folder) {
        Callback curious = new Callback() {
            @Override
            public void step(Run run) {
                run.saveCheckpoint(folder, 1);
            }
        };
        assertThatThrownBy(() -> Members.of(2)
                        .fit(
                                trainer(adam(0.01)),
                                UNEVEN,
                                epochs(1).with(allReduce().shardedState()).callbacks(curious)))
                .hasMessageContaining("Callback.needsState");
    }

    @Test
    void newcomersGetTheirPart() {
        Map<Integer, ShardedExchange> kept = new ConcurrentHashMap<>();
        try {
            Members.of(2).with(collectives -> {
                ShardedExchange sharded = sharded();
                kept.put(collectives.group().rank(), sharded);
                form(sharded, collectives);
                step(sharded);
                return null;
            });
            List<NdArray> states = Members.of(3).with(collectives -> {
                ShardedExchange sharded =
                        kept.computeIfAbsent(collectives.group().rank(), rank -> sharded());
                form(sharded, collectives);
                return velocity(sharded);
            });
            assertThat(whole(states)).doesNotContain(0f).hasSize(size());
            // The group changes once more, before a step was made: nothing is lost while a member joins or leaves in
            // good order.
            List<NdArray> again = Members.of(4).with(collectives -> {
                ShardedExchange sharded =
                        kept.computeIfAbsent(collectives.group().rank(), rank -> sharded());
                form(sharded, collectives);
                step(sharded);
                form(sharded, collectives);
                return velocity(sharded);
            });
            assertThat(whole(again)).hasSize(size()).doesNotContain(whole(states));
        } finally {
            kept.values().forEach(ShardedExchange::close);
        }
    }

    @Test
    void aPartThatIsLostIsNamed() {
        Map<Integer, ShardedExchange> kept = new ConcurrentHashMap<>();
        try {
            Members.of(3).with(collectives -> {
                ShardedExchange sharded = sharded();
                kept.put(collectives.group().rank(), sharded);
                form(sharded, collectives);
                step(sharded);
                return null;
            });
            assertThatThrownBy(() -> Members.of(2).with(collectives -> {
                        form(kept.get(collectives.group().rank()), collectives);
                        return null;
                    }))
                    .isInstanceOf(StateLostException.class)
                    .hasMessageContaining("elements of 'velocity' 75 went with members that were lost");
        } finally {
            kept.values().forEach(ShardedExchange::close);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "before tally, 6",
        "before gradients, 6",
        "after gradients, 6",
        "before parameters, 6",
        "after parameters, 6",
        "before the last parameters, 6",
        "after the last parameters, 6",
        "before checkpoint to save, 4",
        "before folder of the checkpoint, 2",
        "before parts of the checkpoint, 2",
        "after parts that were written, 2",
    })
    void aPartThatIsLostComesBackWithTheCheckpoint(String point, int time, @TempDir Path folder) {
        assertTheOthersGoOn(new TestingCluster(3, killing("worker-2", point, time)), folder);
    }

    @ParameterizedTest
    @CsvSource({
        "before parts of the state, 2",
        "after parts of the state, 2",
        "before is there a checkpoint, 1",
        "before progress, 2",
        "after checkpoint out of reach, 1",
    })
    void alsoWhenOneMoreIsLostOnTheWayBack(String point, int time, @TempDir Path folder) {
        TestingCluster.Hook one = killing("worker-2", "after gradients", 6);
        TestingCluster.Hook other = killing("worker-3", point, time);
        assertTheOthersGoOn(
                new TestingCluster(4, (member, at) -> {
                    one.at(member, at);
                    other.at(member, at);
                }),
                folder);
    }

    private static void assertTheOthersGoOn(TestingCluster cluster, Path folder) {
        assertThat(resultsWith(cluster, folder)).containsOnlyKeys("worker-0", "worker-1");
    }

    /** Those of members that came to what one machine comes to. */
    private static Map<String, Members.Result> resultsWith(TestingCluster cluster, Path folder) {
        Supplier<Trainer> trainer = trainer(adam(0.01));
        Map<String, NdArray> expected;
        try (Trainer one = trainer.get()) {
            one.fit(UNEVEN, epochs(3));
            expected = one.model().arrays();
        }
        Map<String, Members.Result> results = cluster.run(place -> Members.Result.of(
                trainer.get(),
                UNEVEN,
                epochs(3)
                        .on(place)
                        .with(allReduce().shardedState())
                        .callbacks(checkpoint(folder).everySteps(4))));
        Weights.assertClose(Weights.ofAll(List.copyOf(results.values())), expected, 1e-5);
        results.values()
                .forEach(result -> assertThat(result.history().epochs())
                        .hasSize(3)
                        .allMatch(epoch -> epoch.training().samples() == 99));
        return results;
    }

    /** Plain SGD has no state that could be lost: the others repeat the step from the parameters of before, without a checkpoint. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "after gradients",
                "before parameters",
                "after parameters",
                "before the last parameters",
                "after the last parameters"
            })
    void aStepThatIsCutOffLeavesNoTraceWhereThereIsNoState(String point) {
        Supplier<Trainer> trainer = trainer(sgd(0.5));
        Map<String, NdArray> expected;
        try (Trainer one = trainer.get()) {
            one.fit(UNEVEN, epochs(3));
            expected = one.model().arrays();
        }
        Map<String, Members.Result> results = new TestingCluster(3, killing("worker-2", point, 6))
                .run(place -> Members.Result.of(
                        trainer.get(),
                        UNEVEN,
                        epochs(3).on(place).with(allReduce().shardedState())));
        assertThat(results).containsOnlyKeys("worker-0", "worker-1");
        Weights.assertClose(Weights.ofAll(List.copyOf(results.values())), expected, 1e-5);
    }

    /** It was given up, the others went back and on; what it brings along is of no use to them, and no loss. */
    @Test
    void whoComesBackBringsNothingAlong(@TempDir Path folder) {
        AtomicInteger checks = new AtomicInteger();
        AtomicInteger goneBack = new AtomicInteger();
        AtomicReference<TestingCluster> cluster = new AtomicReference<>();
        cluster.set(new TestingCluster(3, (member, at) -> {
            if (member.equals("worker-2") && at.equals("check") && checks.incrementAndGet() == 7) {
                cluster.get().giveUp("worker-2");
            }
            if (member.equals("worker-0") && at.equals("before is there a checkpoint")) {
                goneBack.incrementAndGet();
            }
        }));
        Map<String, Members.Result> results = cluster.get()
                .run(place -> Members.Result.of(
                        trainer(adam(0.01)).get(),
                        UNEVEN,
                        epochs(200)
                                .on(place)
                                .with(allReduce().shardedState())
                                .callbacks(checkpoint(folder).everySteps(4))));
        assertThat(results).hasSize(3);
        Weights.ofAll(List.copyOf(results.values()));
        assertThat(goneBack).hasValue(1);
    }

    /** All were given up at once, as by a coordinator they were cut off from: what they have is still all there is. */
    @Test
    void whereAllComeBackNothingIsForgotten(@TempDir Path folder) {
        AtomicInteger checks = new AtomicInteger();
        AtomicReference<TestingCluster> cluster = new AtomicReference<>();
        cluster.set(new TestingCluster(3, (member, at) -> {
            if (member.equals("worker-2") && at.equals("check") && checks.incrementAndGet() == 7) {
                for (int number = 0; number < 3; number++) {
                    cluster.get().giveUp(TestingCluster.name(number));
                }
            }
        }));
        Map<String, Members.Result> results = resultsWith(cluster.get(), folder);
        assertThat(results).hasSize(3);
    }

    /** So small that only the last member has a part at all. */
    @Test
    void alsoOfAModelWithFewParameters() {
        Map<Integer, ShardedExchange> kept = new ConcurrentHashMap<>();
        try {
            Members.of(2).with(collectives -> {
                ShardedExchange sharded = tiny();
                kept.put(collectives.group().rank(), sharded);
                form(sharded, collectives);
                step(sharded);
                return null;
            });
            List<NdArray> states = Members.of(3).with(collectives -> {
                ShardedExchange sharded =
                        kept.computeIfAbsent(collectives.group().rank(), rank -> tiny());
                form(sharded, collectives);
                NdArray state = velocity(sharded);
                step(sharded);
                return state;
            });
            assertThat(whole(states)).doesNotContain(0f);
            assertThatThrownBy(() -> Members.of(2).with(collectives -> {
                        form(kept.get(collectives.group().rank()), collectives);
                        return null;
                    }))
                    .isInstanceOf(StateLostException.class);
        } finally {
            kept.values().forEach(ShardedExchange::close);
        }
    }

    private static ShardedExchange tiny() {
        TrainingConfig recipe = new TrainingConfig(sgd(0.1).momentum(0.9), softmaxCrossEntropy(), List.of(), 0, 1);
        try (Trainer trainer = trainer(sgd(0.1)).get()) {
            Model model = Model.of(
                    Sequential.of(dense(Blobs.CLASSES)),
                    trainer.build(Blobs.data(4)).inputs().get(0));
            return sharded(model, recipe);
        }
    }

    @Test
    void withoutACheckpointOfThisRunTheLossIsSaid(@TempDir Path folder) {
        Supplier<Trainer> trainer = trainer(adam(0.01));
        Fit fit = epochs(3).with(allReduce().shardedState());
        Members.of(1).fit(trainer, UNEVEN, fit.callbacks(checkpoint(folder))); // another run's
        TestingCluster cluster = new TestingCluster(3, killing("worker-2", "after gradients", 2));
        assertThatThrownBy(() -> cluster.run(place ->
                        Members.Result.of(trainer.get(), UNEVEN, fit.on(place).callbacks(checkpoint(folder)))))
                .hasMessageContaining("went with members that were lost")
                .hasMessageContaining("there is no checkpoint of this run to go back to");
    }

    private static int size() {
        try (Model model = model()) {
            return (int) model.vector().size();
        }
    }

    /** A twin holds what a lost member held: nothing is lost, and there is no checkpoint that could bring it back. */
    @ParameterizedTest
    @CsvSource({
        "before tally, 6",
        "before gradients, 6",
        "after gradients, 6",
        "before parameters, 6",
        "after parameters, 6",
        "before the last parameters, 6",
        "after the last parameters, 6",
        "before parts of the state, 1",
    })
    void aTwinHoldsThePartOfALostMember(String point, int time) {
        Supplier<Trainer> trainer = trainer(adam(0.01).clipNorm(0.5));
        Map<String, NdArray> expected = threeEpochs(trainer);
        Map<String, Members.Result> results = new TestingCluster(4, killing("worker-2", point, time))
                .run(place -> Members.Result.of(
                        trainer.get(),
                        UNEVEN,
                        epochs(3).on(place).with(allReduce().shardedState().shardCopies(2))));
        assertThat(results).containsOnlyKeys("worker-0", "worker-1", "worker-3");
        Weights.assertClose(Weights.ofAll(List.copyOf(results.values())), expected, 1e-5);
    }

    @Test
    void copiesOfShardsEqualOneMachine() {
        Supplier<Trainer> trainer = trainer(adam(0.01).clipNorm(0.5));
        Map<String, NdArray> expected = threeEpochs(trainer);
        for (int members = 1; members <= 5; members++) {
            List<Members.Result> results = Members.of(members)
                    .fit(
                            trainer,
                            UNEVEN,
                            epochs(3).with(allReduce().shardedState().shardCopies(2)));
            Weights.assertClose(Weights.ofAll(results), expected, 1e-5);
        }
    }

    private static Map<String, NdArray> threeEpochs(Supplier<Trainer> trainer) {
        try (Trainer one = trainer.get()) {
            one.fit(UNEVEN, epochs(3));
            return one.model().arrays();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7})
    void everyShardHasAsManyHoldersAsWanted(int members) {
        for (long size : new long[] {1, 80, 1000, 4096}) {
            int[] holders = new int[(int) size];
            int speakers = 0;
            for (int rank = 0; rank < members; rank++) {
                ShardLayout layout = new ShardLayout(group(members, rank), size, 2);
                Range own = layout.own();
                for (long i = own.from(); i < own.to(); i++) {
                    holders[(int) i]++;
                }
                speakers += layout.speaks() ? 1 : 0;
                assertThat(own.contains(layout.of(rank))).isTrue();
            }
            int least = Math.min(2, members);
            assertThat(Arrays.stream(holders).allMatch(count -> count >= least && count <= 3))
                    .isTrue();
            assertThat(speakers).isEqualTo(Math.max(1, members / 2));
        }
    }

    /** The chief alone sees the files, as where members have no disk in common: what others need travels. */
    @Test
    void aCheckpointThatOthersDoNotSeeTravels(@TempDir Path folder) {
        TestingCluster.Hook kill = killing("worker-2", "after gradients", 6);
        AtomicInteger hidden = new AtomicInteger();
        TestingCluster cluster = new TestingCluster(3, (member, at) -> {
            kill.at(member, at);
            if (at.equals("after folder of the checkpoint")) {
                hidden.addAndGet(deleteAll(folder, ".seen."));
            }
            if (member.equals("worker-1") && at.equals("after progress")) {
                hidden.addAndGet(deleteAll(folder, "step-"));
            }
        });
        assertThat(resultsWith(cluster, folder)).containsOnlyKeys("worker-0", "worker-1");
        assertThat(hidden.get()).isGreaterThan(2);
    }

    private static int deleteAll(Path folder, String prefix) {
        String[] names = folder.toFile().list((in, name) -> name.startsWith(prefix));
        int deleted = 0;
        for (String name : names == null ? new String[0] : names) {
            deleted += folder.resolve(name).toFile().delete() ? 1 : 0;
        }
        return deleted;
    }

    @Test
    void aDamagedPartSendsTheRunToTheCheckpointBefore(@TempDir Path folder) throws IOException {
        Supplier<Trainer> trainer = trainer(adam(0.01));
        Fit fit = epochs(3).with(allReduce().shardedState().evenShares());
        Map<String, NdArray> expected = Weights.ofAll(Members.of(2).fit(trainer, UNEVEN, fit));
        Members.of(2)
                .fit(
                        trainer,
                        UNEVEN,
                        fit.callbacks(checkpoint(folder).everySteps(2).keep(5), stopAt(9)));
        List<Path> saved = new CheckpointFolder(folder).files();
        assertThat(saved).hasSizeGreaterThan(3);
        Path cutShort = partOf(saved.get(saved.size() - 1), folder, ".part-1.");
        Files.write(cutShort, Arrays.copyOf(Files.readAllBytes(cutShort), 300));
        Files.delete(partOf(saved.get(saved.size() - 2), folder, ".part-0."));
        Path sound = saved.get(saved.size() - 3);
        assertThat(new CheckpointFolder(folder).newest().orElseThrow().file()).isEqualTo(sound);
        assertThat(Weights.ofAll(Members.of(2).fit(trainer, UNEVEN, fit.resume(folder))))
                .isEqualTo(expected);
    }

    private static Path partOf(Path manifest, Path folder, String part) {
        String step = manifest.getFileName().toString().substring(0, "step-000000000".length());
        String[] found = folder.toFile().list((in, name) -> name.startsWith(step) && name.contains(part));
        return folder.resolve(found[0]);
    }

    private static Model model() {
        try (Trainer trainer = trainer(sgd(0.1)).get()) {
            return Model.of(
                    Sequential.of(dense(17).tanh(), dense(Blobs.CLASSES)),
                    trainer.build(Blobs.data(4)).inputs().get(0));
        }
    }

    private static ShardedExchange sharded() {
        TrainingConfig recipe = new TrainingConfig(sgd(0.1).momentum(0.9), softmaxCrossEntropy(), List.of(), 0, 1);
        return sharded(model(), recipe);
    }

    private static ShardedExchange sharded(Model model, TrainingConfig recipe) {
        LocalWorkers workers = new LocalWorkers(model, recipe, 1, new Range(0, 0));
        return new ShardedExchange(workers, new GradientTransfer(workers, GradientSum.PLAIN), 1);
    }

    /** What replica and loop do when members have met. */
    private static void form(ShardedExchange sharded, Collectives collectives) {
        sharded.formed(collectives);
        StateRedistribution.run(Agreement.over(collectives), collectives.group().rank(), sharded.state());
    }

    /** The parts of all members, in order. */
    private static float[] whole(List<NdArray> parts) {
        float[] all = new float[parts.stream().mapToInt(NdArray::size).sum()];
        int at = 0;
        for (NdArray part : parts) {
            System.arraycopy(part.floats(), 0, all, at, part.size());
            at += part.size();
        }
        return all;
    }

    private static NdArray velocity(ShardedExchange sharded) {
        return sharded.workers().state().get("velocity").toArray();
    }

    private static void step(ShardedExchange sharded) {
        try (Scope scope = Scope.open()) {
            sharded.workers().model().vector().gradients().fill_(1);
        }
        sharded.sum(new Exchange.OwnGradients(0, true, 1));
        sharded.update(0.1, 1);
        sharded.share();
    }
}
