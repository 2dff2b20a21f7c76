package dev.tutti.strategy.allreduce;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.compression.Compressions.fp16;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.strategy.Members;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.worker.LocalWorkers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExchangeChoiceTest {
    /** The way that all members of a group choose. */
    private static Class<?> chosen(AllReduce strategy, int members, boolean oneWorkerEach, boolean oneBatchSteps) {
        List<Class<?>> chosen = Members.of(members).<Class<?>>with(collectives -> {
            TrainingConfig recipe = new TrainingConfig(sgd(0.1), softmaxCrossEntropy(), List.of(), 0, 1);
            try (Model model = Model.of(dense(3), Input.of(4));
                    LocalWorkers workers = new LocalWorkers(model, recipe, 1);
                    ExchangeChoice choice = strategy.exchanges(workers, new Timing())) {
                Exchange exchange = choice.of(collectives, new ExchangeChoice.StepShape(oneWorkerEach, oneBatchSteps));
                exchange.leave();
                exchange.leave();
                return exchange.getClass();
            }
        });
        assertThat(chosen).hasSize(members).containsOnly(chosen.get(0));
        return chosen.get(0);
    }

    @Test
    void aSingleMemberSendsNothing() {
        assertThat(chosen(allReduce(), 1, true, true)).isEqualTo(SingleMemberExchange.class);
        assertThat(chosen(allReduce().overlap(true), 1, true, true)).isEqualTo(SingleMemberExchange.class);
    }

    @Test
    void membersThatReadEachOthersMemoryDoSo() {
        assertThat(chosen(allReduce(), 2, true, true)).isEqualTo(SharedMemoryExchange.class);
        assertThat(chosen(allReduce().overlap(false), 3, false, false)).isEqualTo(SharedMemoryExchange.class);
    }

    @Test
    void gradientsOverlapWhereEveryMemberHasOneWorkerAndStepsHaveOneBatch() {
        AllReduce overlapped = allReduce().overlap(true);
        assertThat(chosen(overlapped, 2, true, true)).isEqualTo(OverlappedExchange.class);
        assertThat(chosen(overlapped, 2, false, true)).isEqualTo(SharedMemoryExchange.class);
        assertThat(chosen(overlapped, 2, true, false)).isEqualTo(SharedMemoryExchange.class);
        assertThat(chosen(overlapped.syncBatchNorm(), 2, true, true)).isEqualTo(SharedMemoryExchange.class);
    }

    @Test
    void compressedGradientsTravelAfterThePasses() {
        AllReduce compressed = allReduce().compression(fp16()).overlap(true);
        assertThat(chosen(compressed, 1, true, true)).isEqualTo(AllReduceExchange.class);
        assertThat(chosen(compressed, 2, true, true)).isEqualTo(AllReduceExchange.class);
    }

    @Test
    void aShardedStateHasItsOwnWay() {
        AllReduce sharded = allReduce().shardedState();
        assertThat(chosen(sharded, 1, true, true)).isEqualTo(ShardedExchange.class);
        assertThat(chosen(sharded.overlap(true), 2, true, true)).isEqualTo(ShardedExchange.class);
        assertThat(chosen(sharded.compression(fp16()), 2, true, true)).isEqualTo(ShardedExchange.class);
    }
}
