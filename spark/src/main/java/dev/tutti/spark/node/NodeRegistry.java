package dev.tutti.spark.node;

import dev.tutti.data.DataException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** The nodes of clusters that run in this JVM. */
final class NodeRegistry {
    private static final Map<String, List<DataFeed>> FEEDS = new ConcurrentHashMap<>();
    private static final AtomicInteger NEXT = new AtomicInteger();

    private NodeRegistry() {}

    static void add(String cluster, DataFeed feed) {
        FEEDS.computeIfAbsent(cluster, id -> new CopyOnWriteArrayList<>()).add(feed);
    }

    static void remove(String cluster, DataFeed feed) {
        FEEDS.computeIfPresent(cluster, (id, feeds) -> {
            feeds.remove(feed);
            return feeds.isEmpty() ? null : feeds;
        });
    }

    /** The feed of a worker in this JVM; they take turns. */
    static DataFeed feed(String cluster) {
        List<DataFeed> feeds = FEEDS.get(cluster);
        if (feeds == null) {
            throw new DataException(
                    "there is no node of the cluster on this executor: it has ended, or the executor was"
                            + " started after the cluster");
        }
        return feeds.get(Math.floorMod(NEXT.getAndIncrement(), feeds.size()));
    }
}
