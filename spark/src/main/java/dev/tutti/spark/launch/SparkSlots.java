package dev.tutti.spark.launch;

import org.apache.spark.SparkContext;

/** How many tasks a cluster runs at the same time. */
final class SparkSlots {
    private SparkSlots() {}

    static int of(SparkContext context) {
        int cpus = context.getConf().getInt("spark.task.cpus", 1);
        return Math.max(1, context.defaultParallelism() / cpus);
    }
}
