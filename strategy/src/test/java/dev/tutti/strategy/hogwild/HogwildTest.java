package dev.tutti.strategy.hogwild;

import static dev.tutti.strategy.Strategies.hogwild;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.data.Dataset;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.train.Launcher;
import dev.tutti.train.replica.Strategy;
import org.junit.jupiter.api.Test;

class HogwildTest {
    private static final Dataset DATA = Blobs.data(480).batch(48);

    @Test
    void oneThreadEqualsLocalTrainingBitForBit() {
        assertThat(Blobs.weightsAfter(DATA, epochs(3).with(hogwild()).on(Launcher.here())))
                .isEqualTo(Blobs.weightsAfter(DATA, epochs(3).with(Strategy.local())));
    }

    @Test
    void threadsThatDoNotWaitLearnTogether() {
        Members.Result result = Members.Result.of(
                Blobs.trainer(), DATA, epochs(8).with(hogwild()).on(Launcher.threads(3)));
        assertThat(result.history().epochs()).hasSize(8);
        assertThat(result.history().last().training().loss())
                .isLessThan(0.5 * result.history().epochs().get(0).training().loss());
    }
}
