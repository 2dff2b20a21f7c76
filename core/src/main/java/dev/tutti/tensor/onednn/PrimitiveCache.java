package dev.tutti.tensor.onednn;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Primitives of oneDNN that are kept ready by what they were made for; beyond a number of them the one longest unused is closed.
 *
 * <p>A primitive that a recorded pass still needs on its way back is held: it is closed by the last {@link Entry#release} at the
 * earliest. Belongs to one thread at a time.
 *
 * @param <K> what a primitive was made for: lengths, and the number of cores
 * @param <P> the primitive
 */
public final class PrimitiveCache<K, P> implements AutoCloseable {
    /** Four numbers of rows, for instance of whole batches and of the last one, before and after shares have changed. */
    static final int NUMBERS_OF_ROWS = 4;

    /** A primitive and those that hold it. */
    public static final class Entry<P> {
        private final P primitive;
        private final Consumer<P> closer;
        private int holders;
        private boolean evicted;

        private Entry(P primitive, Consumer<P> closer) {
            this.primitive = primitive;
            this.closer = closer;
        }

        public P primitive() {
            return primitive;
        }

        /** Ends one {@link PrimitiveCache#hold}. */
        public void release() {
            holders--;
            closeIfUnused();
        }

        private void evict() {
            evicted = true;
            closeIfUnused();
        }

        private void closeIfUnused() {
            if (evicted && holders == 0) {
                closer.accept(primitive);
            }
        }
    }

    private final int capacity;
    private final Consumer<P> closer;
    private final Map<K, Entry<P>> entries = new LinkedHashMap<>(16, 0.75f, true);

    /** @param closer frees a primitive */
    PrimitiveCache(int capacity, Consumer<P> closer) {
        this.capacity = capacity;
        this.closer = closer;
    }

    /** The primitive for a key, which is open until the next call. */
    P get(K key, Supplier<P> maker) {
        return entry(key, maker).primitive;
    }

    /** The primitive for a key, which is open until it is released. */
    Entry<P> hold(K key, Supplier<P> maker) {
        Entry<P> entry = entry(key, maker);
        entry.holders++;
        return entry;
    }

    private Entry<P> entry(K key, Supplier<P> maker) {
        Entry<P> entry = entries.get(key);
        if (entry == null) {
            entry = new Entry<>(maker.get(), closer);
            entries.put(key, entry);
            if (entries.size() > capacity) {
                var oldest = entries.entrySet().iterator();
                oldest.next().getValue().evict();
                oldest.remove();
            }
        }
        return entry;
    }

    /** Closes all that is not held. Closing twice does nothing. */
    @Override
    public void close() {
        entries.values().forEach(Entry::evict);
        entries.clear();
    }
}
