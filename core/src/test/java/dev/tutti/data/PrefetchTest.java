package dev.tutti.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PrefetchTest {
    private final AtomicReference<Thread> thread = new AtomicReference<>();

    /** Rows that tell which thread made them. */
    private Dataset watched(int rows) {
        return Numbered.arrays(rows).map(sample -> {
            thread.set(Thread.currentThread());
            return sample;
        });
    }

    @Test
    void readsOnADaemonThreadThatEndsWithTheEpoch() throws InterruptedException {
        try (BatchReader reader = watched(20).batch(4).prefetch(2).open(0)) {
            assertThat(Numbered.rest(reader)).hasSize(5);
            assertThat(reader.next()).isEmpty();
            assertThat(thread.get()).isNotSameAs(Thread.currentThread());
            assertThat(thread.get().isDaemon()).isTrue();
            thread.get().join();
        }
    }

    @Test
    void closeEndsAThreadThatWaitsForRoom() {
        BatchReader reader = watched(1000).batch(1).prefetch(2).open(0);
        reader.next();
        reader.close();
        assertThat(thread.get().isAlive()).isFalse();
        assertThatThrownBy(reader::next)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void closeEndsAThreadThatIsStuckInATransform() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Dataset dataset = Numbered.arrays(10).map(sample -> {
            thread.set(Thread.currentThread());
            stuck.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return sample;
        });
        BatchReader reader = dataset.prefetch(2).open(0);
        stuck.await();
        reader.close();
        assertThat(thread.get().isAlive()).isFalse();
    }

    @Test
    void manyReadersLeaveNoThreadBehind() {
        Dataset dataset = Numbered.arrays(100).batch(3).prefetch(2);
        for (int i = 0; i < 100; i++) {
            try (BatchReader reader = dataset.open(i)) {
                reader.next();
            }
        }
        List<String> alive = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter("tutti-prefetch"::equals)
                .toList();
        assertThat(alive).isEmpty();
    }

    @Test
    void errorComesWhenItsTurnHasCome() {
        Dataset dataset = Numbered.arrays(10).batch(2).prefetch(5).map(sample -> {
            if (sample.label().longAt(0) == 7) {
                throw new IllegalStateException("no sevens");
            }
            return sample;
        });
        try (BatchReader reader = dataset.open(0)) {
            for (int i = 0; i < 3; i++) {
                assertThat(reader.next().orElseThrow().size()).isEqualTo(2);
            }
            assertThatThrownBy(reader::next).isInstanceOf(DataException.class).hasMessageContaining("no sevens");
        }
    }

    /** Two wait in the queue and the third in the hands of the thread, which then sleeps until there is room. */
    @Test
    void readsAheadNoFurtherThanTold() throws InterruptedException {
        CountDownLatch third = new CountDownLatch(3);
        AtomicInteger made = new AtomicInteger();
        Dataset dataset = watched(100).map(sample -> {
            made.incrementAndGet();
            third.countDown();
            return sample;
        });
        try (BatchReader reader = dataset.prefetch(2).open(0)) {
            third.await();
            while (thread.get().getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            assertThat(made).hasValue(3);
            assertThat(reader.position().rows()).isZero();
        }
    }
}
