package dev.tutti.spark.feed;

import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.json.Json;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The driver's account of what partitions held when they were first read: one that comes out different later is refused. */
public final class PartRegistry {
    static final String DIFFERENT = "different";

    private final Map<String, PartContent> first = new ConcurrentHashMap<>();

    /**
     * What a member has read.
     *
     * @param digest a checksum of all rows
     */
    record PartContent(String source, int part, int rows, long digest) {}

    /** Answers members that have read a partition. */
    public MessageHandler handler() {
        return MessageHandler.of(request -> {
            PartContent now = Json.read(request.message().text(), PartContent.class, "what a partition holds");
            PartContent before = first.putIfAbsent(now.source + " " + now.part, now);
            if (before != null && !before.equals(now)) {
                throw new MessageRefusedException(
                        DIFFERENT, "it had " + words(before) + " before, and has " + words(now));
            }
            return Message.of("");
        });
    }

    private static String words(PartContent content) {
        return content.rows + " rows with the checksum " + Long.toHexString(content.digest);
    }
}
