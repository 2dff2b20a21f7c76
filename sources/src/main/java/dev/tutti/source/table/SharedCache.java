package dev.tutti.source.table;

import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What was read and is in use in this JVM, so that training data, validation data and all workers share it. Content that no reader
 * uses any more stays until memory runs short.
 */
public final class SharedCache {
    private static final Map<String, Slot> SLOTS = new HashMap<>();

    private SharedCache() {}

    /** One content; its lock lets one thread read it while others wait. */
    private static final class Slot {
        private SoftReference<Object> content = new SoftReference<>(null);
    }

    /** The content of a key, read by the first who asks. A key tells content from content: definition and state of the files. */
    public static <T> T get(Class<T> type, String key, Supplier<T> reading) {
        Slot slot;
        synchronized (SLOTS) {
            SLOTS.values().removeIf(known -> known.content.refersTo(null) && !Thread.holdsLock(known));
            slot = SLOTS.computeIfAbsent(type.getName() + " " + key, k -> new Slot());
        }
        synchronized (slot) {
            Object content = slot.content.get();
            if (content == null) {
                content = reading.get();
                slot.content = new SoftReference<>(content);
                synchronized (SLOTS) {
                    SLOTS.put(type.getName() + " " + key, slot);
                }
            }
            return type.cast(content);
        }
    }
}
