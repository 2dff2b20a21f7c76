package dev.tutti.bench.allreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.bench.contender.Workload;
import dev.tutti.bench.engine.EngineModel;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Sequential;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FitWorkloadTest {
    private static final EngineModel SMALL =
            new EngineModel(Sequential.of(Layers.dense(EngineModel.CLASSES)), Input.of(5), 8);

    @Test
    void trainingIsHeldBetweenMeasurementsAndEndsWhenClosed() {
        FitWorkload workload = new FitWorkload(SMALL, BenchSetup.parse("threads:2"));
        Workload.Pace first = workload.run(0.02);
        Workload.Pace second = workload.run(0);
        workload.close();

        assertThat(first.seconds()).isGreaterThanOrEqualTo(0.02);
        assertThat(first.samples()).isEqualTo(first.steps() * 16);
        assertThat(second.steps()).isEqualTo(1);
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("bench-trains"));
    }

    @Test
    void trainingThatFailsSaysWhy() {
        EngineModel wrong = new EngineModel(Sequential.of(Layers.conv2d(3, 3)), Input.of(5), 8);
        FitWorkload workload = new FitWorkload(wrong, BenchSetup.parse("here"));
        assertThatThrownBy(() -> workload.run(0)).hasMessageContaining("training failed");
        workload.close();
    }

    @Test
    void theDataIsTheSameInEveryJvm() {
        Dataset data = Dataset.of(new RandomSource(2, 3)).batch(4);
        Dataset there = Json.read(Json.write(data), Dataset.class, "the data");
        try (var here = data.open(0);
                var other = there.open(0)) {
            assertThat(other.next().orElseThrow().features().get(0).floats())
                    .isEqualTo(here.next().orElseThrow().features().get(0).floats());
        }
    }

    @Test
    void aPlaceThatDoesNotExistIsNamed() {
        assertThatThrownBy(() -> BenchSetup.parse("spark:2")).hasMessageContaining("received 'spark:2'");
    }
}
