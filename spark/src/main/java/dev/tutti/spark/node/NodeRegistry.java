package dev.tutti.spark.node;

import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /** The feed of a worker in this JVM, if there is one; several take turns. */
    static Optional<DataFeed> feed(String cluster) {
        List<DataFeed> feeds = FEEDS.get(cluster);
        if (feeds == null) {
            return Optional.empty();
        }
        return Optional.of(feeds.get(Math.floorMod(NEXT.getAndIncrement(), feeds.size())));
    }
}
