package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.PackedRanges;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Sums gradients range by range, on a thread of its own, while the backward pass still computes others.
 *
 * <p>Order of calls for each step: {@link #begin}, {@link #ready} for ranges in any order, at last for the whole vector, then
 * {@link #await}. All members send the buckets in the same order, that in which backward passes come to them: the last
 * parameters first. A bucket that is ready early waits for those before it.
 */
final class GradientBuckets implements AutoCloseable {
    private final Model model;
    private final FlatVector vector;
    private final List<Range> buckets;
    private final ExecutorService wire = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "tutti-wire");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Future<?>> sent = new ArrayList<>();
    private final long[] missing;
    private List<Range> learning = List.of(); // the ranges of the step under way that are not frozen
    private Collectives collectives;

    /** @param bytes what a bucket has at least, but for the last one */
    GradientBuckets(Model model, long bytes) {
        this.model = model;
        vector = model.vector();
        buckets = cut(model.parameters(), vector, bytes / vector.type().bytes());
        missing = new long[buckets.size()];
    }

    static List<Range> cut(List<Parameter> parameters, FlatVector vector, long elements) {
        List<Range> buckets = new ArrayList<>();
        long to = vector.size();
        for (int i = parameters.size() - 1; i >= 0; i--) {
            long from = i == 0 ? 0 : parameters.get(i).range().from();
            if (to - from >= elements || i == 0) {
                buckets.add(Range.between(from, to));
                to = from;
            }
        }
        buckets.removeIf(Range::isEmpty);
        return buckets;
    }

    /** A step begins. */
    void begin(Collectives group) {
        collectives = group;
        sent.clear();
        learning = model.trainable();
        for (int i = 0; i < missing.length; i++) {
            missing[i] =
                    learningIn(buckets.get(i)).stream().mapToLong(Range::length).sum();
        }
    }

    /** What of a range is not frozen: the rest does not travel. */
    private List<Range> learningIn(Range range) {
        return learning.stream()
                .map(range::intersect)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    boolean isBegun() {
        return collectives != null;
    }

    /** The gradients of a range are final. */
    void ready(Range range) {
        boolean all = range.equals(vector.all());
        for (int i = 0; i < missing.length; i++) {
            missing[i] = all
                    ? 0
                    : missing[i]
                            - learningIn(buckets.get(i).intersect(range)).stream()
                                    .mapToLong(Range::length)
                                    .sum();
        }
        while (sent.size() < missing.length && missing[sent.size()] == 0) {
            Range bucket = buckets.get(sent.size());
            Collectives group = collectives;
            List<Range> parts = learningIn(bucket);
            sent.add(wire.submit(() -> sum(group, bucket, parts)));
        }
    }

    private void sum(Collectives group, Range bucket, List<Range> parts) {
        PackedRanges.change(vector.gradients(), parts, gradients -> group.allReduce("gradients " + bucket, gradients));
    }

    /** Waits until all are summed; each sum has its deadline. The first failure comes out when none is under way any more. */
    void await() {
        collectives = null;
        RuntimeException failure = null;
        boolean interrupted = false;
        for (Future<?> each : sent) {
            while (true) {
                try {
                    each.get();
                } catch (InterruptedException e) {
                    interrupted = true; // the memory is in use: there is no leaving now
                    continue;
                } catch (ExecutionException e) {
                    failure = failure != null ? failure : cause(e);
                }
                break;
            }
        }
        sent.clear();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static RuntimeException cause(ExecutionException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return (RuntimeException) e.getCause();
    }

    /** The step came to nothing: waits for what is under way. */
    void abandon() {
        try {
            await();
        } catch (RuntimeException e) {
            // said already, by what ended the step
        }
    }

    @Override
    public void close() {
        wire.shutdownNow();
    }
}
