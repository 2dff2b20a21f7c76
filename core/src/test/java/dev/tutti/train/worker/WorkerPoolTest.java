package dev.tutti.train.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WorkerPoolTest {
    @Test
    void everyMemberDoesEveryPieceOnItsOwnThread() {
        try (WorkerPool pool = new WorkerPool(4, "pool")) {
            AtomicIntegerArray done = new AtomicIntegerArray(4);
            Set<String> threads = ConcurrentHashMap.newKeySet();
            for (int piece = 0; piece < 5_000; piece++) {
                pool.together(member -> {
                    done.incrementAndGet(member);
                    threads.add(member + " " + Thread.currentThread().getName());
                });
                for (int member = 0; member < 4; member++) {
                    assertThat(done.get(member)).isEqualTo(piece + 1);
                }
            }
            assertThat(threads)
                    .containsExactlyInAnyOrder(
                            "0 " + Thread.currentThread().getName(), "1 pool-1", "2 pool-2", "3 pool-3");
        }
    }

    @Test
    void membersWorkSideBySide() {
        try (WorkerPool pool = new WorkerPool(3, "pool")) {
            CountDownLatch met = new CountDownLatch(3);
            pool.together(member -> {
                met.countDown();
                awaitQuietly(met);
            });
            assertThat(met.getCount()).isZero();
        }
    }

    @Test
    void aFailureComesOutWhenAllAreDoneAndTheCrewGoesOn() {
        try (WorkerPool pool = new WorkerPool(3, "pool")) {
            AtomicIntegerArray done = new AtomicIntegerArray(3);
            for (int failing = 0; failing < 3; failing++) {
                int bad = failing;
                assertThatThrownBy(() -> pool.together(member -> {
                            done.incrementAndGet(member);
                            if (member == bad) {
                                throw new IllegalStateException("member " + member);
                            }
                        }))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("member " + bad);
            }
            pool.together(2, done::incrementAndGet);
            assertThat(done.get(1)).isEqualTo(4);
            assertThat(done.get(2)).as("was not asked").isEqualTo(3);
        }
    }

    @Test
    void anInterruptedCallerWaitsForTheWorkAndStaysInterrupted() {
        try (WorkerPool pool = new WorkerPool(2, "pool")) {
            Thread caller = Thread.currentThread();
            boolean[] finished = new boolean[1];
            pool.together(member -> {
                if (member == 1) {
                    caller.interrupt();
                    for (long until = System.nanoTime() + 20_000_000; System.nanoTime() < until; ) {
                        Thread.onSpinWait();
                    }
                    finished[0] = true;
                }
            });
            assertThat(finished[0]).isTrue();
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
