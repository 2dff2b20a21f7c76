package dev.tutti.bench.ps;

import static dev.tutti.nn.Layers.dense;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.data.source.ArraySource;
import dev.tutti.data.source.Source;
import dev.tutti.host.HostTuning;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import dev.tutti.loss.Losses;
import dev.tutti.nn.BuildContext;
import dev.tutti.nn.FluentLayer;
import dev.tutti.nn.ForwardContext;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Two workers of which one is five times slower, and one server, until the loss has come down: {@code SlowWorkerContender --strategy
 * STRATEGY}. It tells the seconds from the first step on, and the share of their time that workers waited. With {@code --curve FILE} the loss
 * over time is written there, as {@link LossPicture} draws it.
 */
public final class SlowWorkerContender {
    public static final String SECONDS = "seconds_to_loss";
    public static final String WAITED = "share_waited";
    private static final double GOAL = 0.35;
    private static final int BATCH = 64;

    static {
        Json.register(Pause.class, "benchPause");
        Json.register(ClassSource.class, "benchClasses");
    }

    private SlowWorkerContender() {}

    public static void main(String[] arguments) {
        HostTuning.apply();
        boolean curve = arguments.length == 4 && arguments[2].equals("--curve");
        if (arguments.length != 2 && !curve || !arguments[0].equals("--strategy")) {
            throw new IllegalArgumentException(
                    "Expected --strategy STRATEGY as JSON and perhaps --curve FILE, received: "
                            + String.join(" ", arguments));
        }
        Strategy strategy = Json.read(arguments[1], Strategy.class, "--strategy");
        // A synchronous step divides its batch among the workers; else each has batches of its own.
        int batch = strategy.exact() ? 2 * BATCH : BATCH;
        UntilLoss until = new UntilLoss();
        try (Trainer trainer = Trainer.of(
                        Sequential.of(new Pause(), dense(64).tanh(), dense(ClassSource.CLASSES)),
                        Optimizers.sgd(0.02),
                        Losses.softmaxCrossEntropy())
                .seed(3)
                .cores(1)) {
            History history = trainer.fit(
                    Dataset.of(new ClassSource()).shuffle(3).batch(batch),
                    Fit.epochs(100)
                            .on(Cluster.processes(3).restarts(0))
                            .with(strategy)
                            .callbacks(until));
            Map<String, Double> numbers = new LinkedHashMap<>();
            numbers.put(SECONDS, until.seconds);
            numbers.put(
                    WAITED,
                    history.times().members().stream()
                            .mapToDouble(member -> member.waiting() / Math.max(1e-9, member.inSteps()))
                            .average()
                            .orElse(Double.NaN));
            if (curve) {
                AtomicFile.write(Path.of(arguments[3]), until.curve.toString());
            }
            System.out.println(Json.write(numbers));
        }
    }

    private static final class UntilLoss implements Callback {
        private long began;
        private double mean = Double.NaN;
        private double seconds = Double.NaN;
        private final StringBuilder curve = new StringBuilder();

        @Override
        public void step(Run run) {
            if (began == 0) {
                began = System.nanoTime();
                mean = run.lastLoss();
            }
            mean = 0.95 * mean + 0.05 * run.lastLoss();
            curve.append((System.nanoTime() - began) / 1e9)
                    .append(',')
                    .append(mean)
                    .append('\n');
            if (mean < GOAL && Double.isNaN(seconds)) {
                seconds = (System.nanoTime() - began) / 1e9;
                run.stop("the loss is " + GOAL);
            }
        }
    }

    /** Takes the time of a larger model in a pass of training: five times as much on the second worker. */
    public static final class Pause extends FluentLayer<Pause> {
        private static final long MILLIS = "worker-1".equals(System.getProperty("tutti.member")) ? 20 : 4;

        @Override
        protected Shape build(Shape input, BuildContext build) {
            return input;
        }

        @Override
        protected Tensor forward(Tensor x, ForwardContext pass) {
            if (pass.training()) {
                try {
                    TimeUnit.MILLISECONDS.sleep(MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return x;
        }
    }

    /** Ten classes of points that overlap a little, the same in every JVM. */
    public static final class ClassSource implements Source {
        static final int CLASSES = 10;
        private static final int WIDTH = 32;
        private static final int ROWS = 40_000;
        private static final ArraySource ROWS_OF_CLASSES = make();

        @Override
        public OptionalLong size() {
            return OptionalLong.of(ROWS);
        }

        @Override
        public Rows open() {
            return ROWS_OF_CLASSES.open();
        }

        /** Made once: the feed of leased chunks opens its source for every chunk. */
        private static ArraySource make() {
            Random random = new Random(5);
            float[][] centres = new float[CLASSES][WIDTH];
            for (float[] centre : centres) {
                for (int i = 0; i < WIDTH; i++) {
                    centre[i] = (float) random.nextGaussian() * 0.8f;
                }
            }
            float[] values = new float[ROWS * WIDTH];
            long[] labels = new long[ROWS];
            for (int row = 0; row < ROWS; row++) {
                labels[row] = random.nextInt(CLASSES);
                for (int i = 0; i < WIDTH; i++) {
                    values[row * WIDTH + i] = centres[(int) labels[row]][i] + (float) random.nextGaussian();
                }
            }
            return new ArraySource(List.of(NdArray.of(values, ROWS, WIDTH)), List.of(NdArray.of(labels, ROWS)));
        }
    }
}
