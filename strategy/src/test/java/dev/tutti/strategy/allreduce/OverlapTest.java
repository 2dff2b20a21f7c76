package dev.tutti.strategy.allreduce;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.nn.RecordedPass;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.Weights;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.GradientListener;
import dev.tutti.train.Trainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gradients that travel during the backward pass are the same as those that travel after it. */
@Timeout(180)
class OverlapTest {
    /** The last batch has 3 rows: with 4 members somebody has none of them. */
    private static final Dataset UNEVEN = Blobs.data(99).batch(24);

    private static final Sequential LAYERS = // the second weight is a large one
            Sequential.of(dense(300).tanh(), dense(260).tanh(), dense(Blobs.CLASSES));

    private static Trainer trainer() {
        return Trainer.of(LAYERS, adam(0.001), softmaxCrossEntropy()).cores(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void givesTheSameBits(int members) {
        Map<String, NdArray> without = weights(members, allReduce(), 1);
        assertThat(weights(members, allReduce().overlap(true).bucketBytes(1000), 1))
                .isEqualTo(without);
        assertThat(weights(members, allReduce().overlap(true), 1)).isEqualTo(without);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void happensByItselfBetweenMachinesOnly(int machines) {
        Set<String> sums = ConcurrentHashMap.newKeySet();
        Map<String, Members.Result> results = new TestingCluster(4, (member, point) -> {
                    if (point.startsWith("before gradients")) {
                        sums.add(point);
                    }
                })
                .machines(machines)
                .run(place -> Members.Result.of(
                        trainer(),
                        UNEVEN,
                        epochs(2).with(allReduce().bucketBytes(1000)).on(place)));
        Weights.ofAll(List.copyOf(results.values())); // the same bits on all
        assertThat(sums).hasSize(machines == 1 ? 1 : 5); // buckets begin with a parameter and have 250 elements or more
    }

    @Test
    void waitsWithTheFirstBatchesOfAnUpdate() {
        assertThat(weights(2, allReduce().overlap(true).bucketBytes(1000), 2)).isEqualTo(weights(2, allReduce(), 2));
    }

    private static Map<String, NdArray> weights(int members, AllReduce strategy, int accumulate) {
        return Weights.ofAll(Members.of(members)
                .fit(
                        OverlapTest::trainer,
                        UNEVEN,
                        epochs(4).accumulate(accumulate).with(strategy)));
    }

    @Test
    void lastParametersAreReadyFirst() {
        try (Model model = Model.of(LAYERS, Input.of(4));
                Scope scope = Scope.open()) {
            model.freeze("dense2.bias");
            List<Range> ready = new ArrayList<>();
            for (boolean add : new boolean[] {false, true}) {
                ready.clear();
                RecordedPass pass = recorded(model);
                pass.backward(pass.outputs().get(0).mean(), add, GradientListener.whenFinal(ready::add));
            }
            assertThat(ready).hasSize(6).last().isEqualTo(model.vector().all());
            assertThat(ready.get(0).from()).isGreaterThan(ready.get(4).from());
            float[] twice = model.vector().gradients().toArray().floats();
            RecordedPass pass = recorded(model);
            pass.backward(pass.outputs().get(0).mean().mul(2), false);
            assertThat(twice)
                    .containsExactly(model.vector().gradients().toArray().floats(), within(1e-6f));
        }
    }

    private static RecordedPass recorded(Model model) {
        return model.record(List.of(Tensor.of(new float[8], 2, 4).add(1)));
    }

    @Test
    void bucketsCoverTheVectorFromItsEnd() {
        try (Model model = Model.of(LAYERS, Input.of(4))) {
            for (long elements : new long[] {1, 100, 1000, 1_000_000}) {
                long at = model.vector().size();
                for (Range bucket : GradientBuckets.cut(model.parameters(), model.vector(), elements)) {
                    assertThat(bucket.to()).isEqualTo(at);
                    at = bucket.from();
                }
                assertThat(at).isZero();
            }
        }
    }
}
