package dev.tutti.strategy.ps.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.strategy.ps.board.BoardEntry.Effort;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerPacesTest {
    private static BoardEntry entry(int rank, long millis) {
        return new BoardEntry(
                0, 1, 64, 1.5, false, false, false, new Effort(rank, millis * 1_000_000, 2), List.of(3), new long[] {7
                });
    }

    private static void add(WorkerPaces paces, int times, int rank, long millis) {
        for (int i = 0; i < times; i++) {
            paces.add(entry(rank, millis));
        }
    }

    @Test
    void aPushOfASlowWorkerIsAsManyClocksAsItTakesThoseOfTheFastest() {
        WorkerPaces paces = new WorkerPaces();
        paces.begin(3);
        add(paces, 20, 0, 4);
        add(paces, 20, 1, 20);
        add(paces, 20, 2, 5);
        assertThat(paces.clocks(0)).isEqualTo(1);
        assertThat(paces.clocks(1)).isEqualTo(5);
        assertThat(paces.clocks(2)).isEqualTo(1);
        add(paces, 60, 1, 4000);
        assertThat(paces.clocks(1)).isEqualTo(WorkerPaces.MOST_CLOCKS);
        add(paces, 200, 1, 4);
        assertThat(paces.clocks(1)).as("it has recovered").isEqualTo(1);
    }

    @Test
    void aPaceCountsAfterSomePushesAndOfThisGroupOnly() {
        WorkerPaces paces = new WorkerPaces();
        assertThat(paces.clocks(0)).as("before the workers have met").isEqualTo(1);
        paces.begin(2);
        add(paces, 20, 0, 4);
        add(paces, WorkerPaces.ENOUGH - 1, 1, 40);
        add(paces, 20, 2, 1); // of a larger group before
        assertThat(paces.clocks(1)).isEqualTo(1);
        add(paces, 1, 1, 40);
        assertThat(paces.clocks(1)).isEqualTo(10);
        paces.begin(2);
        assertThat(paces.clocks(1)).isEqualTo(1);
    }

    @Test
    void anEntryIsTheSameAfterItsWay() {
        BoardEntry there = entry(4, 9);
        BoardEntry here = BoardEntry.of(there.numbers());
        assertThat(here.numbers()).isEqualTo(there.numbers());
        assertThat(here.effort()).isEqualTo(new Effort(4, 9_000_000, 2));
        assertThat(here.chunks()).containsExactly(3);
    }
}
