package dev.tutti.spark.launch;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/** How many tasks a cluster runs at the same time. */
final class SparkSlots {
    private SparkSlots() {}

    /** Those that are there; where executors are allocated on demand and their number is bounded, those that may come. */
    static int of(SparkContext context) {
        SparkConf conf = context.getConf();
        int cpus = conf.getInt("spark.task.cpus", 1);
        int present = Math.max(1, context.defaultParallelism() / cpus);
        if (!conf.getBoolean("spark.dynamicAllocation.enabled", false)
                || !conf.contains("spark.dynamicAllocation.maxExecutors")) {
            return present;
        }
        int each = Math.max(1, conf.getInt("spark.executor.cores", 1) / cpus);
        return Math.max(1, conf.getInt("spark.dynamicAllocation.maxExecutors", 1) * each);
    }
}
