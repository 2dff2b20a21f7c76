package dev.tutti.spark.mapreduce;

import dev.tutti.TuttiException;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.spark.feed.RowLayout;
import dev.tutti.spark.launch.FedTable;
import dev.tutti.strategy.mapreduce.DataParts;
import dev.tutti.strategy.mapreduce.MapReduceEngine;
import dev.tutti.strategy.mapreduce.RangePartial;
import dev.tutti.strategy.mapreduce.RangeShuffle;
import dev.tutti.strategy.mapreduce.RoundMap;
import dev.tutti.strategy.mapreduce.SumReduce;
import dev.tutti.tensor.Engine;
import dev.tutti.train.TrainingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * Map, shuffle and reduce as Spark jobs: parameters are broadcast, partitions are mapped, partial sums go through Spark's shuffle, sorted
 * or hashed by range, or up a tree. Rows of a table are kept as floats on the executors between rounds; other data is read by the executors
 * in every round.
 */
public final class RddEngine implements MapReduceEngine {
    private final JavaSparkContext context;
    private final JavaRDD<?> kept;
    private final Parts parts;

    /** The partitions of some data. */
    private interface Parts {
        /** Maps each of them. */
        JavaRDD<RangePartial> map(RoundMap map, Broadcast<float[]> parameters, int round);
    }

    /** @param batch rows that a gradient is computed of at once */
    public RddEngine(FedTable table, int batch) {
        this.context = JavaSparkContext.fromSparkContext(table.rows().sparkContext());
        RowLayout layout = table.layout();
        JavaRDD<float[]> rows = table.rows().toJavaRDD().map(layout::numbers).persist(StorageLevel.MEMORY_AND_DISK());
        this.kept = rows;
        this.parts = (map, parameters, round) -> rows.mapPartitionsWithIndex(
                (part, iterator) -> {
                    prepareTask();
                    List<Batch> batches = batches(layout, batch, iterator);
                    return map.map(batches::iterator, parameters.value(), round, part)
                            .iterator();
                },
                true);
    }

    /**
     * Data that executors can read, such as files under the same path everywhere.
     *
     * @param parts about how many parts it is cut into
     */
    public RddEngine(SparkContext spark, Dataset data, int parts) {
        this.context = JavaSparkContext.fromSparkContext(spark);
        int count = new DataParts(data, parts).count();
        String recipe = Json.write(data);
        JavaRDD<Integer> numbers =
                context.parallelize(IntStream.range(0, count).boxed().toList(), count);
        this.kept = numbers;
        this.parts = (map, parameters, round) -> numbers.flatMap(part -> {
            prepareTask();
            DataParts read = new DataParts(Json.read(recipe, Dataset.class, "the data"), parts);
            return map.map(() -> read.batches(part), parameters.value(), round, part)
                    .iterator();
        });
    }

    private static void prepareTask() {
        HostTuning.apply();
        Engine.useThreads(Math.max(1, TaskContext.get().cpus()));
    }

    @Override
    public int parts() {
        return kept.getNumPartitions();
    }

    @Override
    public List<RangePartial> round(RoundMap map, float[] parameters, int round, RangeShuffle shuffle, int reducers) {
        Broadcast<float[]> shared = context.broadcast(parameters);
        JavaRDD<RangePartial> mapped = parts.map(map, shared, round);
        context.sc().setJobDescription("Tutti: round " + round + " of MapReduce, " + parts() + " parts");
        try {
            List<RangePartial> sums =
                    shuffle == RangeShuffle.TREE ? tree(mapped) : shuffled(mapped, shuffle, map.ranges(), reducers);
            return sums.stream()
                    .sorted(Comparator.comparingInt(RangePartial::key))
                    .toList();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) { // Spark throws checked exceptions that its signatures do not name
            throw failed(e);
        } finally {
            context.sc().setJobDescription(null);
            shared.destroy();
        }
    }

    private static TuttiException failed(Exception ofSpark) {
        for (Throwable cause = ofSpark; cause != null; cause = cause.getCause()) {
            if (cause instanceof TuttiException known) {
                return known;
            }
        }
        String why = String.valueOf(ofSpark.getMessage()).lines().findFirst().orElse("");
        return new TrainingException("a round of MapReduce failed on Spark: " + why, ofSpark);
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
        kept.unpersist();
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
