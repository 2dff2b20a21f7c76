package dev.tutti.strategy.mapreduce;

import dev.tutti.data.Dataset;
import dev.tutti.tensor.Engine;
import dev.tutti.train.TrainingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Map, shuffle and reduce on threads of this JVM: to learn from, and to test clusters against. */
public final class ThreadEngine implements MapReduceEngine {
    private final DataParts data;
    private final ExecutorService threads;

    /** @param parts about how many parts the data is cut into */
    public ThreadEngine(Dataset data, int parts, int threads) {
        this.data = new DataParts(data, parts);
        int each = Math.max(1, Engine.cores() / threads);
        this.threads = Executors.newFixedThreadPool(
                threads,
                work -> new Thread(() -> {
                    Engine.useThreads(each);
                    work.run();
                }));
    }

    @Override
    public int parts() {
        return data.count();
    }

    @Override
    public List<RangePartial> round(RoundMap map, float[] parameters, int round, RangeShuffle shuffle, int reducers) {
        List<Callable<List<RangePartial>>> maps = new ArrayList<>();
        for (int part = 0; part < data.count(); part++) {
            int number = part;
            maps.add(() -> map.map(() -> data.batches(number), parameters, round, number));
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
