package dev.tutti.consensus;

import dev.tutti.cluster.journal.Journal;
import dev.tutti.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A change of the replicated facts, as it travels between peers.
 *
 * @param kind what it does
 * @param writer who wrote it: each time a peer begins to lead it writes under a new name, and changes of earlier writers are refused
 * @param entries facts; none for {@link Kind#OPEN}
 */
record FactChange(Kind kind, String writer, List<Journal.Entry> entries) {
    enum Kind {
        /** The writer begins: from here on no other writer is heard. */
        OPEN,
        /** Adds facts. */
        APPEND,
        /** Replaces all facts by their summary. */
        SUMMARY
    }

    FactChange {
        entries = List.copyOf(entries);
    }

    byte[] toBytes() {
        return Json.write(this).getBytes(StandardCharsets.UTF_8);
    }

    static FactChange of(byte[] bytes) {
        return Json.read(new String(bytes, StandardCharsets.UTF_8), FactChange.class, "a replicated fact");
    }
}
