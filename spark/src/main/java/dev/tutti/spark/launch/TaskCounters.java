package dev.tutti.spark.launch;

import dev.tutti.comm.Report;
import java.io.Serializable;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;

/** What Spark's own pages show of each member while it trains: counters of its task, which executors send with their heartbeats. */
final class TaskCounters implements Serializable {
    static final String UPDATES = "Tutti: updates";
    static final String BUSY = "Tutti: busy milliseconds";
    private static final long serialVersionUID = 1;

    private final LongAccumulator updates;
    private final LongAccumulator busy;
    private transient long lastStep;
    private transient double seconds;
    private transient long millis;

    TaskCounters(SparkContext context) {
        updates = context.longAccumulator(UPDATES);
        busy = context.longAccumulator(BUSY);
    }

    /** A member has done something; steps that were done before it joined are not its own. */
    void add(Report report) {
        if (report.step() != lastStep) {
            updates.add(lastStep == 0 ? 1 : Math.max(0, report.step() - lastStep));
            lastStep = report.step();
        }
        seconds += report.busySeconds();
        long whole = Math.round(seconds * 1000);
        busy.add(whole - millis);
        millis = whole;
    }
}
