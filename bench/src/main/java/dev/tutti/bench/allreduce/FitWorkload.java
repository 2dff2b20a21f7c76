package dev.tutti.bench.allreduce;

import dev.tutti.bench.contender.Workload;
import dev.tutti.bench.engine.EngineModel;
import dev.tutti.data.Dataset;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Training as users start it, with {@code Trainer.fit}, held between two steps while no measurement runs.
 *
 * <p>Training runs on a thread of its own. Its callback takes an order, lets the time go by, answers, and waits for the next. The
 * first step after a wait does not count: the other workers may have done their part of it meanwhile.
 */
final class FitWorkload implements Workload, Callback {
    private static final double END = -1;
    private static final long PATIENCE_MINUTES = 5;

    private final BlockingQueue<Double> orders = new ArrayBlockingQueue<>(1);
    private final BlockingQueue<Object> answers = new ArrayBlockingQueue<>(1);
    private final int batch;
    private final Thread thread;
    private double seconds = Double.NaN;
    private long began;
    private long steps;

    FitWorkload(EngineModel model, BenchSetup setting) {
        batch = model.batch() * setting.workers();
        thread = new Thread(() -> train(model, setting), "bench-trains");
        thread.setDaemon(true);
        thread.start();
    }

    private void train(EngineModel model, BenchSetup setting) {
        Dataset data = Dataset.of(new RandomSource(model.input().shape().toArray()))
                .batch(batch)
                .prefetch(2);
        try (Trainer trainer = Trainer.of(model.definition(), EngineModel.RECIPE.optimizer(), EngineModel.RECIPE.loss())
                .seed(EngineModel.RECIPE.seed())
                .cores(1)) {
            trainer.fit(data, setting.fit().callbacks(this));
            answers.offer(new IllegalStateException("training ended before it was told to"));
        } catch (RuntimeException | Error e) {
            answers.offer(e);
        }
    }

    @Override
    public void step(Run run) {
        long now = System.nanoTime();
        if (Double.isNaN(seconds)) {
            order(run);
        } else if (began == 0) {
            began = now;
        } else {
            steps++;
            double took = (now - began) / 1e9;
            if (took >= seconds) {
                answers.add(new Pace(steps, steps * batch, took));
                order(run);
            }
        }
        if (!Double.isFinite(run.lastLoss())) {
            throw new ArithmeticException("the loss became " + run.lastLoss());
        }
    }

    private void order(Run run) {
        try {
            seconds = orders.take();
        } catch (InterruptedException e) {
            seconds = END;
        }
        began = 0;
        steps = 0;
        if (seconds == END) {
            run.stop("measured");
        }
    }

    @Override
    public Pace run(double forSeconds) {
        orders.add(forSeconds);
        try {
            Object answer = answers.poll(PATIENCE_MINUTES, TimeUnit.MINUTES);
            if (answer instanceof Pace pace) {
                return pace;
            }
            if (answer instanceof Throwable failure) {
                throw new IllegalStateException("training failed: " + failure, failure);
            }
            throw new IllegalStateException("no step within " + PATIENCE_MINUTES + " minutes; the thread is at "
                    + Arrays.stream(thread.getStackTrace()).limit(5).toList());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void step() {
        run(0);
    }

    @Override
    public int batch() {
        return batch;
    }

    @Override
    public void close() {
        orders.offer(END);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(20)); // longer than workers are given to end by themselves
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
