package dev.tutti.strategy.mapreduce;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Chunk;
import dev.tutti.data.Dataset;
import dev.tutti.train.TrainingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Map, shuffle and reduce on threads of this JVM: to learn from, and to test clusters against. */
public final class ThreadEngine implements MapReduceEngine, AutoCloseable {
    private final Dataset data;
    private final List<Chunk> chunks;
    private final ExecutorService threads;

    /** @param parts about how many parts the data is cut into */
    public ThreadEngine(Dataset data, int parts, int threads) {
        this.data = data.keepLast();
        long rows = data.size().orElse(Long.MAX_VALUE);
        this.chunks = this.data.chunks(0, Math.max(1, (rows + parts - 1) / parts));
        this.threads = Executors.newFixedThreadPool(threads);
    }

    @Override
    public int parts() {
        return chunks.size();
    }

    @Override
    public List<RangePartial> round(RoundMap map, float[] parameters, int round, RangeShuffle shuffle, int reducers) {
        List<Callable<List<RangePartial>>> maps = new ArrayList<>();
        for (int part = 0; part < chunks.size(); part++) {
            int number = part;
            maps.add(() -> map.map(() -> batches(chunks.get(number)), parameters, round, number));
        }
        List<List<RangePartial>> mapped = all(maps);
        List<Callable<List<RangePartial>>> reduces = new ArrayList<>();
        int count = shuffle == RangeShuffle.TREE ? 1 : reducers;
        for (int reducer = 0; reducer < count; reducer++) {
            int mine = reducer;
            Iterator<RangePartial> arrived = mapped.stream()
                    .flatMap(List::stream)
                    .filter(partial -> shuffle.reducer(partial.key(), map.ranges(), count) == mine)
                    .iterator();
            reduces.add(() -> SumReduce.reduce(arrived));
        }
        return all(reduces).stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingInt(RangePartial::key))
                .toList();
    }

    private Iterator<Batch> batches(Chunk chunk) {
        List<Batch> all = new ArrayList<>();
        try (BatchReader reader = data.open(0, chunk)) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                all.add(next.get());
            }
        }
        return all.iterator();
    }

    private <T> List<T> all(List<Callable<T>> work) {
        List<T> results = new ArrayList<>();
        try {
            for (Future<T> future : threads.invokeAll(work)) {
                results.add(future.get());
            }
            return results;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted in a round of MapReduce", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new TrainingException("a round of MapReduce failed: " + e.getCause(), e.getCause());
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
