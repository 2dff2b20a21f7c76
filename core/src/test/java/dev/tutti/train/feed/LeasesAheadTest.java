package dev.tutti.train.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LeasesAheadTest {
    private static Leases plain() {
        return Team.alone(1).leases("rows");
    }

    private static List<Integer> all(Leases leases, int chunks) {
        List<Integer> given = new ArrayList<>();
        leases.begin(0, chunks, List.of(2));
        for (OptionalInt next = leases.lease(0); next.isPresent(); next = leases.lease(0)) {
            given.add(next.getAsInt());
            leases.used(0, List.of(next.getAsInt()));
        }
        return given;
    }

    @Test
    void givesTheSameChunksAsItsPlainTwinAndSaysWhatWasUsed() {
        Leases twin = plain();
        List<Integer> expected = all(twin, 7);
        try (LeasesAhead ahead = new LeasesAhead(plain())) {
            assertThat(all(ahead, 7)).isEqualTo(expected).hasSize(6);
            assertThat(ahead.used(0)).hasSize(7).isEqualTo(twin.used(0));
        }
    }

    /** Leases whose answers wait, or fail. */
    private static final class Slow implements Leases {
        private final Leases leases = plain();
        private final AtomicInteger asked = new AtomicInteger();
        private final CountDownLatch second = new CountDownLatch(1);
        private RuntimeException failure;

        @Override
        public void begin(int epoch, int chunks, List<Integer> used) {
            leases.begin(epoch, chunks, used);
        }

        @Override
        public OptionalInt lease(int epoch, ChunkPreference preference) {
            if (asked.incrementAndGet() == 2) {
                second.countDown();
            }
            return leases.lease(epoch, preference);
        }

        @Override
        public void used(int epoch, List<Integer> chunks) {
            if (failure != null) {
                throw failure;
            }
            leases.used(epoch, chunks);
        }

        @Override
        public void giveBack(int epoch) {
            leases.giveBack(epoch);
        }

        @Override
        public List<Integer> used(int epoch) {
            return leases.used(epoch);
        }
    }

    @Test
    void asksForTheNextChunkWhileThisOneIsWorkedOnAndGivesItBack() throws InterruptedException {
        Slow slow = new Slow();
        try (LeasesAhead ahead = new LeasesAhead(slow)) {
            ahead.begin(0, 3, List.of());
            int first = ahead.lease(0).orElseThrow();
            assertThat(slow.second.await(10, TimeUnit.SECONDS)).isTrue();
            ahead.used(0, List.of(first));
            ahead.giveBack(0);
            List<Integer> left = new ArrayList<>();
            for (OptionalInt next = ahead.lease(0); next.isPresent(); next = ahead.lease(0)) {
                left.add(next.getAsInt());
            }
            assertThat(left).hasSize(2).doesNotContain(first);
        }
    }

    @Test
    void whatFailsUnseenIsThrownByTheNextCall() {
        Slow slow = new Slow();
        try (LeasesAhead ahead = new LeasesAhead(slow)) {
            ahead.begin(0, 3, List.of());
            int first = ahead.lease(0).orElseThrow();
            slow.failure = new GroupChangedException("the members meet");
            ahead.used(0, List.of(first));
            ahead.used(0); // behind it in the order
            assertThatThrownBy(() -> ahead.lease(0))
                    .isInstanceOf(GroupChangedException.class)
                    .hasMessage("the members meet");
        }
    }
}
