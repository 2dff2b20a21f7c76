package dev.tutti.tensor.onednn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cache closes what is longest unused, once, and never what is held. */
class PrimitiveCacheTest {
    private final List<String> closed = new ArrayList<>();
    private final List<String> made = new ArrayList<>();
    private final PrimitiveCache<Integer, String> cache = new PrimitiveCache<>(2, closed::add);

    private String get(int key) {
        return cache.get(key, () -> make(key));
    }

    private String make(int key) {
        made.add("p" + key);
        return "p" + key;
    }

    @Test
    void closesWhatIsLongestUnused() {
        get(1);
        get(2);
        get(1);
        get(3);
        assertThat(closed).containsExactly("p2");
        get(1);
        assertThat(made).containsExactly("p1", "p2", "p3");
        cache.close();
        cache.close();
        assertThat(closed).containsExactlyInAnyOrder("p1", "p2", "p3");
    }

    @Test
    void whatIsHeldStaysOpen() {
        PrimitiveCache.Entry<String> first = cache.hold(1, () -> make(1));
        PrimitiveCache.Entry<String> again = cache.hold(1, () -> make(1));
        get(2);
        get(3);
        assertThat(closed).isEmpty();
        first.release();
        assertThat(closed).isEmpty();
        again.release();
        assertThat(closed).containsExactly("p1");
    }

    @Test
    void whatIsHeldOutlivesTheCache() {
        PrimitiveCache.Entry<String> held = cache.hold(1, () -> make(1));
        get(2);
        cache.close();
        assertThat(closed).containsExactly("p2");
        assertThat(held.primitive()).isEqualTo("p1");
        held.release();
        assertThat(closed).containsExactly("p2", "p1");
    }

    @Test
    void whatWasReleasedIsKeptReady() {
        cache.hold(1, () -> make(1)).release();
        cache.hold(1, () -> make(1)).release();
        assertThat(made).containsExactly("p1");
        assertThat(closed).isEmpty();
    }
}
