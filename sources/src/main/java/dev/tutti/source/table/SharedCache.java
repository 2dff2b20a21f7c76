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
        private String state = "";
        private SoftReference<Object> content = new SoftReference<>(null);
    }

    /**
     * The content of a key, read by the first who asks. Content of another state is forgotten.
     *
     * @param key what is read and how
     * @param state what differs when the content may have changed, such as sizes and times of files
     */
    public static <T> T get(Class<T> type, String key, String state, Supplier<T> reading) {
        String name = type.getName() + " " + key;
        Slot slot;
        synchronized (SLOTS) {
            SLOTS.values().removeIf(known -> known.content.refersTo(null) && !Thread.holdsLock(known));
            slot = SLOTS.computeIfAbsent(name, k -> new Slot());
        }
        synchronized (slot) {
            Object content = slot.state.equals(state) ? slot.content.get() : null;
            if (content == null) {
                slot.content = new SoftReference<>(null); // what has changed makes room before it is read again
                content = reading.get();
                slot.state = state;
                slot.content = new SoftReference<>(content);
                synchronized (SLOTS) {
                    SLOTS.put(name, slot);
                }
            }
            return type.cast(content);
        }
    }
}
