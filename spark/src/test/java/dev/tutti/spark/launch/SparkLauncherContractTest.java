package dev.tutti.spark.launch;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.json.Json;
import dev.tutti.nn.Sequential;
import dev.tutti.spark.SparkCluster;
import dev.tutti.spark.TestSession;
import dev.tutti.spark.TuttiSpark;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What holds for every place to run, as LauncherContractTest has it for those without Spark, on two executors. */
@Timeout(300)
class SparkLauncherContractTest {
    private static final int EPOCHS = 2;
    private static Dataset train;

    @BeforeAll
    static void findDatasets() {
        System.setProperty(
                "tutti.datasets", Path.of("../datasets").toAbsolutePath().toString());
        TestSession.get();
        train = Mnist.train().take(400).shuffle(7).batch(50);
    }

    private static SparkCluster place() {
        return TuttiSpark.on(TestSession.get()).workers(2);
    }

    private record Ending(History history, Map<String, NdArray> weights) {}

    private static Ending train(Fit fit) {
        return train(train, fit);
    }

    private static Ending train(Dataset data, Fit fit) {
        try (Trainer trainer = Trainer.of(
                        Sequential.of(flatten(), dense(16).tanh(), dense(10)), adam(1e-3), softmaxCrossEntropy())
                .metrics(accuracy())
                .cores(1)) {
            return new Ending(trainer.fit(data, fit.quiet()), trainer.model().arrays());
        }
    }

    private static Fit fit() {
        return epochs(EPOCHS).on(place()).with(allReduce());
    }

    @Test
    void trainsAsOneWorkerWithTheWholeBatchAndCallsBackHere() {
        List<Long> steps = new ArrayList<>(); // a driver that is slower than the members hears of some
        Thread here = Thread.currentThread();
        Ending one = train(epochs(EPOCHS));
        Ending several = train(fit().callbacks(new Callback() {
            @Override
            public void step(Run run) {
                assertThat(Thread.currentThread()).isSameAs(here);
                steps.add(run.step());
            }
        }));
        one.weights.forEach((name, array) -> {
            for (int i = 0; i < array.size(); i++) {
                assertThat(several.weights.get(name).at(i)).as(name).isCloseTo(array.at(i), within(1e-5));
            }
        });
        assertThat(several.history.epochs()).hasSize(EPOCHS);
        several.history
                .epochs()
                .forEach(epoch -> assertThat(epoch.training().samples()).isEqualTo(400));
        assertThat(steps).isSorted().doesNotHaveDuplicates().allMatch(step -> step >= 1 && step <= 16);
        assertThat(steps).contains(1L, 9L); // the first of each epoch: its end before waits for the driver
    }

    @Test
    void saysHowManyWorkersThereAre() {
        assertThat(place().workers()).hasValue(2);
        assertThatThrownBy(() -> train(epochs(1).on(place()).with(Strategy.local())))
                .hasMessageContaining("2");
    }

    @Test
    void isADefinition() {
        Launcher launcher = new SparkCluster("spark://node:7077").workers(2).conf("spark.executor.memory", "4g");
        Launcher read = Json.read(Json.write(launcher), Launcher.class, "here");
        assertThat(read).hasToString(launcher.toString());
        assertThat(read.workers()).isEqualTo(launcher.workers());
        assertThatThrownBy(() -> new SparkCluster("yarn").workers(0)).hasMessageContaining("received 0");
    }

    @Test
    void namesAMasterThatIsNone() {
        for (String wrong : List.of("spark://node", "local-cluster[2,1", "local-cluster[2]", "sprk://node:7077")) {
            assertThatThrownBy(() -> new SparkCluster(wrong)).hasMessageContaining("received " + wrong);
        }
        for (String right :
                List.of("spark://a:1,b:2", "local", "local[*]", "local-cluster[2, 1, 1024]", "k8s://https://x:6443")) {
            assertThat(new SparkCluster(right).master()).isEqualTo(right);
        }
        assertThatThrownBy(() -> SessionSettings.of(new SparkCluster("spark://127.0.0.1:1"))
                        .open())
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("no master of Spark answers at spark://127.0.0.1:1");
    }

    @Test
    void endsInTheMiddleWhenItIsAskedTo() {
        AtomicInteger asked = new AtomicInteger();
        Dataset small = Mnist.train().take(400).shuffle(7).batch(4); // members hear of it a few steps later
        Ending ending = train(small, fit().until(() -> asked.incrementAndGet() > 6));
        assertThat(ending.history.ending()).isEqualTo(History.Ending.INTERRUPTED);
        assertThat(ending.history.epochs()).isEmpty();
    }

    @Test
    void endsWhenTheCallerFails() {
        assertThatThrownBy(() -> train(fit().callbacks(new Callback() {
                    @Override
                    public void step(Run run) {
                        if (run.step() >= 5) { // not every step is told
                            throw new IllegalStateException("a callback has failed");
                        }
                    }
                })))
                .hasMessage("a callback has failed");
    }
}
