package dev.tutti.spark;

import dev.tutti.spark.launch.SessionSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** One session for all tests of the JVM, on two real executor processes. */
public final class TestSession {
    private static SparkSession session;

    private TestSession() {}

    public static synchronized SparkSession get() {
        if (session == null) {
            SparkSession.Builder builder = SparkSession.builder();
            SessionSettings.ofMaster("local-cluster[2,1,1024]").forEach(builder::config);
            session = builder.config("spark.sql.shuffle.partitions", "4")
                    .config("spark.sql.warehouse.dir", "target/warehouse")
                    .getOrCreate();
            session.sparkContext().setLogLevel("WARN");
        }
        return session;
    }

    /** Ends the session, for a test that needs one on a cluster of its own; {@link #get} opens another one. */
    public static synchronized void stop() {
        if (session != null) {
            session.stop();
            session = null;
        }
    }

    /** Points of two classes, each around a centre of its own; a partition for each number of rows. */
    public static Dataset<Row> blobs(long seed, int... rowsOfPartitions) {
        List<List<Row>> parts = new ArrayList<>();
        Random random = new Random(seed);
        for (int rows : rowsOfPartitions) {
            List<Row> part = new ArrayList<>();
            for (int i = 0; i < rows; i++) {
                int label = random.nextInt(2);
                double shift = label == 0 ? -1 : 1;
                float[] x = {(float) (random.nextGaussian() + 2 * shift), (float) (random.nextGaussian() - shift)};
                part.add(RowFactory.create(x, (double) label));
            }
            parts.add(part);
        }
        return get().createDataFrame(partitioned(parts), schema());
    }

    public static StructType schema() {
        return new StructType()
                .add("features", DataTypes.createArrayType(DataTypes.FloatType, false), false)
                .add("label", DataTypes.DoubleType, false);
    }

    /** Rows in exactly these partitions, empty ones too. */
    public static JavaRDD<Row> partitioned(List<List<Row>> parts) {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(get().sparkContext());
        List<Integer> numbers = IntStream.range(0, parts.size()).boxed().toList();
        List<ArrayList<Row>> copies = parts.stream().map(ArrayList::new).toList();
        ArrayList<ArrayList<Row>> all = new ArrayList<>(copies);
        return context.parallelize(numbers, parts.size())
                .flatMap(part -> all.get(part).iterator());
    }
}
