package dev.tutti.strategy.place;

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
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.json.Json;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every place to run. A new launcher is listed in {@link #places}. */
@Timeout(120)
class LauncherContractTest {
    private static final Dataset TRAIN = Mnist.train().take(400).shuffle(7).batch(50);
    private static final int EPOCHS = 2;

    /**
     * A place, how many workers it has, and how they agree.
     *
     * @param invalid makes the same with a setting that is wrong; null where there is none
     */
    record Place(Launcher launcher, int workers, Strategy strategy, Runnable invalid) {
        @Override
        public String toString() {
            return launcher.toString();
        }
    }

    static Stream<Place> places() {
        return Stream.of(
                new Place(Launcher.here(), 1, Strategy.local(), null),
                new Place(
                        Cluster.threads(2),
                        2,
                        allReduce(),
                        () -> Cluster.threads(0).validate()),
                new Place(Cluster.members(3), 3, allReduce(), () -> Cluster.members(0)),
                new Place(
                        Cluster.members(2).workersPerMember(2),
                        4,
                        allReduce(),
                        () -> Cluster.members(2).workersPerMember(0)),
                new Place(Cluster.processes(2), 2, allReduce(), () -> Cluster.processes(0)));
    }

    private record Ending(History history, Map<String, NdArray> weights) {}

    private static Ending train(Fit fit) {
        try (Trainer trainer = Trainer.of(
                        Sequential.of(flatten(), dense(16).tanh(), dense(10)), adam(1e-3), softmaxCrossEntropy())
                .metrics(accuracy())
                .cores(1)) {
            return new Ending(trainer.fit(TRAIN, fit), trainer.model().arrays());
        }
    }

    private static Fit fit(Place place) {
        return epochs(EPOCHS).on(place.launcher).with(place.strategy);
    }

    @AfterEach
    void nothingStaysBehind() throws InterruptedException {
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (!leftovers().isEmpty() && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        assertThat(leftovers()).isEmpty();
    }

    private static List<String> leftovers() {
        Stream<String> threads = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("tutti-worker-"));
        return Stream.concat(
                        threads,
                        ProcessHandle.current()
                                .children()
                                .map(child -> child.info().commandLine().orElse(""))
                                .filter(line -> line.contains("WorkerMain")))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("places")
    void trainsAsOneWorkerWithTheWholeBatch(Place place) {
        Ending one = train(epochs(EPOCHS));
        Ending several = train(fit(place));
        one.weights.forEach((name, array) -> {
            for (int i = 0; i < array.size(); i++) {
                assertThat(several.weights.get(name).at(i)).as(name).isCloseTo(array.at(i), within(1e-5));
            }
        });
        assertThat(several.history.epochs()).hasSize(EPOCHS);
        several.history
                .epochs()
                .forEach(epoch -> assertThat(epoch.training().samples()).isEqualTo(400));
    }

    @ParameterizedTest
    @MethodSource("places")
    void saysHowManyWorkersThereAre(Place place) {
        assertThat(place.launcher.workers()).hasValue(place.workers);
        if (place.workers > 1) {
            assertThatThrownBy(() -> train(epochs(1).on(place.launcher).with(Strategy.local())))
                    .hasMessageContaining(String.valueOf(place.workers));
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void isADefinition(Place place) {
        Launcher read = Json.read(Json.write(place.launcher), Launcher.class, "here");
        assertThat(read).hasToString(place.launcher.toString());
        assertThat(read.workers()).isEqualTo(place.launcher.workers());
        if (place.invalid != null) {
            assertThatThrownBy(place.invalid::run).hasMessageContaining("received 0");
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void callbacksRunWhereTheyWereWritten(Place place) {
        AtomicInteger steps = new AtomicInteger();
        Thread here = Thread.currentThread();
        train(fit(place).callbacks(new Callback() {
            @Override
            public void step(Run run) {
                assertThat(Thread.currentThread()).isSameAs(here);
                steps.incrementAndGet();
            }
        }));
        assertThat(steps).hasValue(16);
    }

    @ParameterizedTest
    @MethodSource("places")
    void endsInTheMiddleWhenItIsAskedTo(Place place) {
        AtomicInteger asked = new AtomicInteger();
        Ending ending = train(fit(place).until(() -> asked.incrementAndGet() > 6));
        assertThat(ending.history.ending()).isEqualTo(History.Ending.INTERRUPTED);
        assertThat(ending.history.epochs()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("places")
    void endsWhenTheCallerFails(Place place) {
        assertThatThrownBy(() -> train(fit(place).callbacks(new Callback() {
                    @Override
                    public void step(Run run) {
                        if (run.step() == 5) {
                            throw new IllegalStateException("a callback has failed");
                        }
                    }
                })))
                .hasMessage("a callback has failed");
    }
}
