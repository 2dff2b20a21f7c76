package dev.tutti.bench.strategies;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;

import dev.tutti.TuttiException;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Mnist;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Trains on MNIST with a strategy and tells what it cost: {@code StrategyContender TEXT MEMBERS EPOCHS ROWS SEED}.
 *
 * <p>Seconds are from the first step's beginning to the end of training, with the validation after each epoch; bytes are those the
 * first member sent in that time.
 */
public final class StrategyContender {
    static final String SENT = "bytes_sent";
    static final String SECONDS = "seconds";
    static final String ACCURACY = "accuracy";
    private static final int BATCH = 128;

    private StrategyContender() {}

    public static void main(String[] arguments) {
        HostTuning.apply();
        if (arguments.length != 5) {
            throw new IllegalArgumentException(
                    "Expected STRATEGY MEMBERS EPOCHS ROWS SEED, received: " + String.join(" ", arguments));
        }
        try {
            System.out.println(Json.write(train(arguments)));
        } catch (TuttiException e) {
            System.out.println(Json.write(Map.of("error", e.getMessage())));
        }
    }

    private static Map<String, Double> train(String... arguments) {
        Strategy strategy = Json.readYaml(arguments[0], Strategy.class, "the strategy");
        strategy.validate();
        MeteredLauncher place = new MeteredLauncher(place(Integer.parseInt(arguments[1])));
        Watch watch = new Watch(place);
        try (Trainer trainer = Trainer.of(
                        Sequential.of(flatten(), dense(256).relu(), dense(10)), adam(1e-3), softmaxCrossEntropy())
                .metrics(accuracy())
                .seed(Long.parseLong(arguments[4]))
                .cores(1)) {
            History history = trainer.fit(
                    Mnist.train()
                            .take(Long.parseLong(arguments[3]))
                            .shuffle(Long.parseLong(arguments[4]))
                            .batch(BATCH),
                    Fit.epochs(Integer.parseInt(arguments[2]))
                            .validate(Mnist.test().batch(1000))
                            .on(place)
                            .with(strategy)
                            .callbacks(watch));
            Map<String, Double> answer = new LinkedHashMap<>();
            answer.put(SENT, (double) watch.sent);
            answer.put(SECONDS, watch.seconds);
            answer.put(ACCURACY, history.last().measured().get("accuracy"));
            return answer;
        }
    }

    /** All members are required: otherwise the numbers would be those of fewer members. */
    private static Launcher place(int members) {
        return members == 1
                ? Launcher.here()
                : Cluster.processes(members).min(members).restarts(0).tooFewFor(Duration.ofSeconds(1));
    }

    /** Looks at the clock and the bytes when training begins and when it has ended. */
    private static final class Watch implements Callback {
        private final MeteredLauncher place;
        private long began;
        private long sentBefore;
        private double seconds;
        private long sent;

        Watch(MeteredLauncher place) {
            this.place = place;
        }

        /** The members have met and have the same parameters. */
        @Override
        public void begin(Run run) {
            began = System.nanoTime();
            sentBefore = place.sent();
        }

        @Override
        public void end(Run run, Optional<Throwable> failure) {
            seconds = (System.nanoTime() - began) / 1e9;
            sent = place.sent() - sentBefore;
        }
    }
}
