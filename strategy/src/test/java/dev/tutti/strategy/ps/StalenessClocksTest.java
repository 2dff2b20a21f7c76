package dev.tutti.strategy.ps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StalenessClocksTest {
    private static final int WORKERS = 4;

    /** What happened: a worker began a batch when the others had come so far. */
    private record Begun(int worker, long clock, long[] all) {}

    private static WorkerClock turn(int rank, long clock) {
        return new WorkerClock(1, 1, WORKERS, rank, clock);
    }

    /** Workers of random pace, of which some make several clocks with a push and some are done early. */
    private static List<Begun> history(long seed, long staleness) {
        Random random = new Random(seed);
        StalenessClocks clocks = new StalenessClocks();
        long[] now = new long[WORKERS];
        int[] step = new int[WORKERS];
        boolean[] working = new boolean[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            step[i] = 1 + random.nextInt(i == 0 ? 10 : 2);
        }
        List<Begun> history = new ArrayList<>();
        for (int event = 0; event < 4000; event++) {
            int worker = random.nextInt(100) < 60 ? random.nextInt(WORKERS) : random.nextInt(2);
            if (working[worker]) {
                now[worker] += step[worker];
                working[worker] = false;
                clocks.advance(turn(worker, now[worker]));
            } else if (now[worker] != StalenessClocks.DONE && clocks.mayGoOn(turn(worker, now[worker]), staleness)) {
                working[worker] = true;
                history.add(new Begun(worker, now[worker], now.clone()));
            }
            if (event == 3500) {
                int done = random.nextInt(WORKERS);
                working[done] = false;
                now[done] = StalenessClocks.DONE;
                clocks.advance(turn(done, StalenessClocks.DONE));
            }
        }
        return history;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 3, 10})
    void noWorkerBeginsFurtherAheadThanTheBound(long staleness) {
        long most = 0;
        for (long seed = 0; seed < 50; seed++) {
            List<Begun> history = history(seed, staleness);
            assertThat(history).hasSizeGreaterThan(100);
            for (Begun each : history) {
                long ahead = each.clock() - Arrays.stream(each.all()).min().orElseThrow();
                assertThat(ahead).as("%s of seed %d", each, seed).isLessThanOrEqualTo(staleness);
                most = Math.max(most, ahead);
            }
        }
        assertThat(most).as("the bound is used").isEqualTo(staleness);
    }

    /** The other half: without a bound workers of these paces are further apart. */
    @Test
    void withoutABoundWorkersRunAway() {
        long most = history(1, Long.MAX_VALUE).stream()
                .mapToLong(
                        each -> each.clock() - Arrays.stream(each.all()).min().orElseThrow())
                .max()
                .orElseThrow();
        assertThat(most).isGreaterThan(100);
    }
}
