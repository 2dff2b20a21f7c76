package dev.tutti.strategy.allreduce;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.reshape;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.TestingCluster.killing;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.Weights;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batch norm over the shares of all members is batch norm over the whole batch. */
@Timeout(180)
class SyncBatchNormTest {
    /** The last batch has 3 rows: with 4 members somebody has none of them. */
    private static final Dataset UNEVEN = Blobs.data(99).batch(24);

    private static Trainer trainer() {
        return Trainer.of(
                        Sequential.of(
                                dense(8),
                                batchNorm().tanh(),
                                reshape(2, 2, 2),
                                conv2d(3, 2),
                                batchNorm(),
                                flatten(),
                                dense(Blobs.CLASSES)),
                        sgd(0.05),
                        softmaxCrossEntropy())
                .cores(1);
    }

    private static Map<String, NdArray> one(Dataset data, Fit fit) {
        try (Trainer trainer = trainer()) {
            trainer.fit(data, fit);
            return trainer.model().arrays();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void equalsOneMachine(int members) {
        Map<String, NdArray> one = one(UNEVEN, epochs(20));
        List<Members.Result> results = Members.of(members)
                .fit(
                        SyncBatchNormTest::trainer,
                        UNEVEN,
                        epochs(20).with(allReduce().syncBatchNorm()));
        Weights.assertClose(Weights.ofAll(results), one, 2e-5);
    }

    @Test
    void alsoWithAccumulation() {
        Dataset small = Blobs.data(99).batch(12);
        Map<String, NdArray> one = one(small, epochs(10).accumulate(2));
        List<Members.Result> results = Members.of(3)
                .fit(
                        SyncBatchNormTest::trainer,
                        small,
                        epochs(10).accumulate(2).with(allReduce().syncBatchNorm()));
        Weights.assertClose(Weights.ofAll(results), one, 2e-5);
    }

    @Test
    void withoutItEveryMemberLooksAtItsOwnShare() {
        Dataset even = Blobs.data(96).batch(24);
        Map<String, NdArray> one = one(even, epochs(2));
        List<Members.Result> results =
                Members.of(2).fit(SyncBatchNormTest::trainer, even, epochs(2).with(allReduce()));
        assertThatThrownBy(() -> Weights.assertClose(Weights.ofAll(results), one, 1e-4))
                .isInstanceOf(AssertionError.class);
    }

    /** With a row for each member, what a survivor sees without the others has no variance: that is not what it fails with. */
    @Test
    void aLostMemberIsSurvived() {
        Dataset rowEach = Blobs.data(48).batch(4);
        TestingCluster cluster = new TestingCluster(4, killing("worker-2", "before batch norm", 7));
        Map<String, Members.Result> results = cluster.run(place -> Members.Result.of(
                Trainer.of(
                                Sequential.of(dense(8), batchNorm().tanh(), dense(Blobs.CLASSES)),
                                sgd(0.05),
                                softmaxCrossEntropy())
                        .cores(1),
                rowEach,
                epochs(2).on(place).with(allReduce().syncBatchNorm())));
        assertThat(results).containsOnlyKeys("worker-0", "worker-1", "worker-3");
        Weights.ofAll(List.copyOf(results.values()));
    }

    /** The last batch has 3 rows: some workers, or a whole member, have none of them. */
    @ParameterizedTest
    @CsvSource({"1, 2", "1, 3", "2, 2", "2, 3", "3, 4"})
    void workersOnThreadsEqualOneMachineToo(int members, int threads) {
        Map<String, NdArray> one = one(UNEVEN, epochs(20));
        List<Members.Result> results = Members.of(members)
                .threads(threads)
                .fit(
                        SyncBatchNormTest::trainer,
                        UNEVEN,
                        epochs(20).with(allReduce().syncBatchNorm()));
        Weights.assertClose(Weights.ofAll(results), one, 2e-5);
    }

    @Test
    void alsoWithAccumulationOnThreads() {
        Dataset small = Blobs.data(99).batch(12);
        Map<String, NdArray> one = one(small, epochs(10).accumulate(2));
        List<Members.Result> results = Members.of(2)
                .threads(2)
                .fit(
                        SyncBatchNormTest::trainer,
                        small,
                        epochs(10).accumulate(2).with(allReduce().syncBatchNorm()));
        Weights.assertClose(Weights.ofAll(results), one, 2e-5);
    }
}
