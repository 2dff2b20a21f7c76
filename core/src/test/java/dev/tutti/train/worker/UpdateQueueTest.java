package dev.tutti.train.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class UpdateQueueTest {
    private static final List<Range> RANGES = List.of(new Range(0, 10), new Range(10, 10), new Range(20, 10));

    private final UpdateQueue pieces = new UpdateQueue(RANGES);
    private final List<Integer> done = new ArrayList<>();

    @Test
    void arePutToWorkOnceAllHaveLeftThem() {
        pieces.layOut(2);
        Consumer<Range> first = pieces.leaver();
        Consumer<Range> second = pieces.leaver();
        first.accept(new Range(0, 30));
        assertThat(pieces.take(done::add)).as("the second one still uses all").isFalse();
        second.accept(new Range(15, 15));
        assertThat(pieces.take(done::add)).isTrue();
        assertThat(done).as("of the second piece only a part is left").containsExactly(2);
        second.accept(new Range(12, 18)); // again, which counts once
        assertThat(pieces.take(done::add)).isFalse();
        second.accept(new Range(0, 30));
        while (pieces.take(done::add)) {}
        assertThat(done).containsExactly(2, 1, 0);
    }

    @Test
    void areLaidOutAnewForEveryRound() {
        for (int round = 1; round <= 3; round++) {
            pieces.layOut(0);
            while (pieces.take(done::add)) {}
            assertThat(done).hasSize(round * RANGES.size());
        }
    }

    @Test
    void eachIsTakenByOneOfMany() {
        List<Range> many = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            many.add(new Range(i, 1));
        }
        UpdateQueue crowded = new UpdateQueue(many);
        AtomicIntegerArray times = new AtomicIntegerArray(many.size());
        try (WorkerPool pool = new WorkerPool(3, "taker")) {
            for (int round = 1; round <= 50; round++) {
                crowded.layOut(3);
                pool.together(member -> {
                    Consumer<Range> leaver = crowded.leaver();
                    for (int i = many.size() - 1; i >= 0; i--) {
                        leaver.accept(many.get(i));
                        crowded.take(times::incrementAndGet);
                    }
                });
                while (crowded.take(times::incrementAndGet)) {}
                for (int i = 0; i < many.size(); i++) {
                    assertThat(times.get(i)).isEqualTo(round);
                }
            }
        }
    }
}
