package dev.tutti.spark.node;

import java.io.Serializable;
import java.util.Map;

/** What every node does. */
@FunctionalInterface
public interface NodeFunction extends Serializable {
    /** Runs until it is done, or {@link DataFeed#shouldStop} says so. */
    void run(Map<String, String> arguments, NodeContext context);
}
