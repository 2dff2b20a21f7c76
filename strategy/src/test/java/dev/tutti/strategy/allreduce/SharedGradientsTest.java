package dev.tutti.strategy.allreduce;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.TestingCluster.killing;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.Weights;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Gradients that members read in each other's memory: the same bits as gradients that travel, whatever happens. */
@Timeout(180)
class SharedGradientsTest {
    /** The last of 5 batches has 3 rows: with more members or workers somebody has none. */
    private static final Dataset UNEVEN = Blobs.data(99).batch(24);

    private static Trainer trainer(Optimizer optimizer) {
        return Trainer.of( // the second weight is a large one
                        Sequential.of(dense(300).relu(), dense(260).tanh(), dense(Blobs.CLASSES)),
                        optimizer,
                        softmaxCrossEntropy())
                .cores(1);
    }

    private static Map<String, NdArray> weights(TestingCluster cluster, Optimizer optimizer, Fit fit) {
        Map<String, Members.Result> results =
                cluster.run(place -> Members.Result.of(trainer(optimizer), UNEVEN, fit.on(place)));
        return Weights.ofAll(List.copyOf(results.values()));
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "2, 2", "4, 1", "3, 2"})
    void areSummedToTheSameBits(int members, int threads) {
        List<Fit> fits = List.of(
                epochs(4).with(allReduce().evenShares()),
                epochs(4).accumulate(2).with(allReduce().evenShares()));
        for (Optimizer optimizer :
                List.of(adam(0.001), adam(0.001).clipNorm(0.1), adam(0.001).clipValue(0.001))) {
            for (Fit fit : fits) {
                TestingCluster together = new TestingCluster(members).threadsOf(id -> threads);
                TestingCluster apart =
                        new TestingCluster(members).threadsOf(id -> threads).apart();
                assertThat(weights(together, optimizer, fit)).isEqualTo(weights(apart, optimizer, fit));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areReadWhereMembersShareMemory(boolean apart) {
        Set<String> points = ConcurrentHashMap.newKeySet();
        TestingCluster cluster = new TestingCluster(2, (member, point) -> points.add(point));
        weights(apart ? cluster.apart() : cluster, adam(0.001), epochs(1).with(allReduce()));
        assertThat(points.contains("after release of gradients")).isEqualTo(!apart);
    }

    @ParameterizedTest
    @CsvSource({
        "before memory for gradients, 1",
        "after memory for gradients, 1",
        "before readers of gradients, 7",
        "after readers of gradients, 7",
        "before tally, 7",
        "after tally, 7",
        "before gradients, 7",
        "after gradients, 7",
        "before release of gradients, 7",
        "after release of gradients, 7",
    })
    void areCompleteOrNotUsedWhereAMemberIsLost(String point, int time) {
        Fit fit = epochs(4).with(allReduce());
        Map<String, NdArray> undisturbed;
        try (Trainer one = trainer(adam(0.001))) {
            one.fit(UNEVEN, epochs(4));
            undisturbed = one.model().arrays();
        }
        for (int members : new int[] {2, 3}) {
            for (String victim : List.of("worker-0", "worker-1")) {
                TestingCluster cluster = new TestingCluster(members, killing(victim, point, time));
                Weights.assertClose(weights(cluster, adam(0.001), fit), undisturbed, 1e-4);
            }
        }
    }
}
