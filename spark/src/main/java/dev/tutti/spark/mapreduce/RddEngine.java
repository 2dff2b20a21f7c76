package dev.tutti.spark.mapreduce;

import dev.tutti.data.Batch;
import dev.tutti.spark.feed.RowLayout;
import dev.tutti.spark.launch.FedTable;
import dev.tutti.strategy.mapreduce.MapReduceEngine;
import dev.tutti.strategy.mapreduce.RangePartial;
import dev.tutti.strategy.mapreduce.RangeShuffle;
import dev.tutti.strategy.mapreduce.RoundMap;
import dev.tutti.strategy.mapreduce.SumReduce;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * Map, shuffle and reduce as Spark jobs: parameters are broadcast, partitions are mapped, partial sums go through Spark's shuffle, sorted
 * or hashed by range, or up a tree. Rows are kept as floats on the executors between rounds.
 */
public final class RddEngine implements MapReduceEngine, AutoCloseable {
    private final JavaSparkContext context;
    private final JavaRDD<float[]> rows;
    private final RowLayout layout;
    private final int batch;

    /** @param batch rows that a gradient is computed of at once */
    public RddEngine(FedTable table, int batch) {
        this.context = JavaSparkContext.fromSparkContext(table.rows().sparkContext());
        this.layout = table.layout();
        this.batch = batch;
        RowLayout copied = layout;
        this.rows = table.rows().toJavaRDD().map(copied::numbers).persist(StorageLevel.MEMORY_AND_DISK());
    }

    @Override
    public int parts() {
        return rows.getNumPartitions();
    }

    @Override
    public List<RangePartial> round(RoundMap map, float[] parameters, int round, RangeShuffle shuffle, int reducers) {
        Broadcast<float[]> shared = context.broadcast(parameters);
        RowLayout copied = layout;
        int size = batch;
        JavaRDD<RangePartial> mapped = rows.mapPartitionsWithIndex(
                (part, iterator) -> {
                    List<Batch> batches = batches(copied, size, iterator);
                    return map.map(batches::iterator, shared.value(), round, part)
                            .iterator();
                },
                true);
        try {
            List<RangePartial> sums =
                    shuffle == RangeShuffle.TREE ? tree(mapped) : shuffled(mapped, shuffle, map.ranges(), reducers);
            return sums.stream()
                    .sorted(Comparator.comparingInt(RangePartial::key))
                    .toList();
        } finally {
            shared.destroy();
        }
    }

    private static List<RangePartial> shuffled(
            JavaRDD<RangePartial> mapped, RangeShuffle shuffle, int ranges, int reducers) {
        JavaPairRDD<Integer, RangePartial> keyed = mapped.mapToPair(each -> new Tuple2<>(each.key(), each));
        Partitioner partitioner = new RangeReducers(shuffle, ranges, reducers);
        JavaPairRDD<Integer, RangePartial> arrived = shuffle == RangeShuffle.SORT
                ? keyed.repartitionAndSortWithinPartitions(partitioner)
                : keyed.partitionBy(partitioner);
        return arrived.values()
                .mapPartitions(partials -> SumReduce.reduce(partials).iterator())
                .collect();
    }

    private static List<RangePartial> tree(JavaRDD<RangePartial> mapped) {
        JavaRDD<List<RangePartial>> sums = mapped.mapPartitions(partials -> {
            List<RangePartial> own = SumReduce.reduce(partials);
            return own.isEmpty()
                    ? List.<List<RangePartial>>of().iterator()
                    : List.of(own).iterator();
        });
        return sums.isEmpty() ? List.of() : sums.treeReduce(RddEngine::merge);
    }

    private static List<RangePartial> merge(List<RangePartial> a, List<RangePartial> b) {
        List<RangePartial> both = new ArrayList<>(a);
        both.addAll(b);
        return SumReduce.reduce(both.iterator());
    }

    private static List<Batch> batches(RowLayout layout, int size, Iterator<float[]> rows) {
        List<Batch> batches = new ArrayList<>();
        List<float[]> some = new ArrayList<>();
        while (rows.hasNext()) {
            some.add(rows.next());
            if (some.size() == size || !rows.hasNext()) {
                batches.add(layout.batch(some));
                some.clear();
            }
        }
        return batches;
    }

    @Override
    public void close() {
        rows.unpersist();
    }

    /** Which reducer gets which range, as Spark asks it. */
    private static final class RangeReducers extends Partitioner {
        private static final long serialVersionUID = 1;

        private final RangeShuffle shuffle;
        private final int ranges;
        private final int reducers;

        RangeReducers(RangeShuffle shuffle, int ranges, int reducers) {
            this.shuffle = shuffle;
            this.ranges = ranges;
            this.reducers = reducers;
        }

        @Override
        public int numPartitions() {
            return reducers;
        }

        @Override
        public int getPartition(Object key) {
            return shuffle.reducer((Integer) key, ranges, reducers);
        }
    }
}
