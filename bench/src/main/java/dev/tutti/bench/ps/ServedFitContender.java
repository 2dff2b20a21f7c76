package dev.tutti.bench.ps;

import dev.tutti.bench.allreduce.RandomSource;
import dev.tutti.bench.contender.Workload;
import dev.tutti.bench.contender.WorkloadServer;
import dev.tutti.bench.engine.EngineModel;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.host.HostTuning;
import dev.tutti.strategy.Strategies;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Trains with one server and two workers, each a JVM, as {@code Trainer.fit} does; samples of both workers count. */
public final class ServedFitContender {
    private ServedFitContender() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        new WorkloadServer(Map.of(
                        "mlp", () -> new Training(EngineModel.mlp()),
                        "cnn", () -> new Training(EngineModel.cnn())))
                .serveStandardStreams();
    }

    /** Training goes on in the background all the time; a measurement looks how far it comes. */
    private static final class Training implements Workload, Callback {
        private static final long ROWS = 1L << 20;

        /** Pushes after which all workers are there and their code is compiled. */
        private static final long WARM_UP = 120;

        private final int batch;
        private final AtomicLong pushes = new AtomicLong();
        private final Thread thread;
        private volatile boolean ended;
        private volatile Throwable failure;

        Training(EngineModel model) {
            batch = model.batch();
            thread = new Thread(() -> train(model), "bench-trains");
            thread.setDaemon(true);
            thread.start();
            await(WARM_UP);
        }

        private void train(EngineModel model) {
            Dataset data = Dataset.of(
                            RandomSource.rows(ROWS, model.input().shape().toArray()))
                    .batch(batch)
                    .prefetch(2);
            try (Trainer trainer = Trainer.of(
                            model.definition(), EngineModel.RECIPE.optimizer(), EngineModel.RECIPE.loss())
                    .seed(EngineModel.RECIPE.seed())
                    .cores(1)) {
                trainer.fit(
                        data,
                        Fit.epochs(1000)
                                .on(Cluster.processes(3).min(2).restarts(0).deadline(Duration.ofMinutes(5)))
                                .with(Strategies.parameterServer().servers(1).asynchronous())
                                .callbacks(this));
            } catch (RuntimeException | Error e) {
                failure = e;
            }
        }

        @Override
        public void step(Run run) {
            pushes.set(run.step());
            if (ended) {
                run.stop("measured");
            }
        }

        private void await(long number) {
            long deadline = System.nanoTime() + Duration.ofMinutes(3).toNanos();
            while (pushes.get() < number) {
                if (failure != null || System.nanoTime() > deadline) {
                    throw new IllegalStateException("training did not come to push " + number, failure);
                }
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted", e);
                }
            }
        }

        @Override
        public Pace run(double seconds) {
            long first = pushes.get();
            await(first + 1);
            first = pushes.get();
            long began = System.nanoTime();
            long last;
            do {
                last = pushes.get();
                await(last + 1);
            } while ((System.nanoTime() - began) / 1e9 < seconds);
            long now = System.nanoTime();
            long done = pushes.get() - first;
            return new Pace(done, done * batch, (now - began) / 1e9);
        }

        @Override
        public void step() {
            await(pushes.get() + 1);
        }

        @Override
        public int batch() {
            return batch;
        }

        @Override
        public void close() {
            ended = true;
            try {
                thread.join(Duration.ofSeconds(20).toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
