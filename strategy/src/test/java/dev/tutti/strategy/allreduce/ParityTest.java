package dev.tutti.strategy.allreduce;

import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.Weights;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several members are one machine with the whole batch: after 100 steps they have the same weights. */
@Timeout(180)
class ParityTest {
    /** 5 batches, the last of which has 3 rows: with 4 members somebody has none of them. */
    private static final Dataset UNEVEN = Blobs.data(99).batch(24);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void equalOneMachine(int members) {
        Map<String, NdArray> one = Blobs.weightsAfter(UNEVEN, epochs(20));
        List<Members.Result> results =
                Members.of(members).fit(Blobs::trainer, UNEVEN, epochs(20).with(allReduce()));
        Weights.assertClose(Weights.ofAll(results), one, 1e-5);
        assertThat(results.get(members - 1).history().epochs()).hasSize(20);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void alsoWithAccumulation(int members) {
        Dataset small = Blobs.data(99).batch(6);
        Map<String, NdArray> one = Blobs.weightsAfter(UNEVEN, epochs(20));
        List<Members.Result> results = Members.of(members)
                .fit(Blobs::trainer, small, epochs(20).accumulate(4).with(allReduce()));
        Weights.assertClose(Weights.ofAll(results), one, 1e-5);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void alsoWithThreadsInEach(int members) {
        Map<String, NdArray> one = Blobs.weightsAfter(UNEVEN, epochs(20));
        List<Members.Result> results = Members.of(members)
                .threads(2)
                .fit(Blobs::trainer, UNEVEN, epochs(20).with(allReduce()));
        Weights.assertClose(Weights.ofAll(results), one, 1e-5);
    }
}
