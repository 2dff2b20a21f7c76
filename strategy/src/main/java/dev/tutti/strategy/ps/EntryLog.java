package dev.tutti.strategy.ps;

import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import dev.tutti.strategy.ps.board.BoardEntry;
import dev.tutti.train.replica.PackedNumbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What workers have reported, numbered in the order of arrival. Every worker reads all of it at its own pace; what all of them have
 * read is dropped.
 */
final class EntryLog {
    private final List<long[]> entries = new ArrayList<>();
    private final Map<Integer, Long> read = new TreeMap<>(); // by rank, of the group below
    private long generation = -1;
    private long first; // the number of the first entry that is kept

    void add(long[] entry) {
        entries.add(entry);
    }

    /** A worker has read all entries before a number. */
    void hasRead(WorkerClock turn, long before) {
        if (turn.generation() > generation) {
            generation = turn.generation();
            read.clear();
        }
        if (turn.generation() == generation) {
            read.put(turn.rank(), before);
            if (read.size() == turn.workers()) {
                drop(read.values().stream().mapToLong(Long::longValue).min().orElse(first));
            }
        }
    }

    private void drop(long before) {
        int count = (int) Math.max(0, Math.min(entries.size(), before - first));
        entries.subList(0, count).clear();
        first += count;
    }

    /** The entries from a number on, packed one behind the other, with their number in front. */
    long[] from(long number) {
        int at = (int) Math.max(0, Math.min(entries.size(), number - first));
        List<long[]> rest = entries.subList(at, entries.size());
        long[][] rows = new long[rest.size() + 1][];
        rows[0] = new long[] {rest.size()};
        for (int i = 0; i < rest.size(); i++) {
            rows[i + 1] = rest.get(i);
        }
        return PackedNumbers.pack(rows);
    }

    /** The entries that {@link #from} gave. */
    static List<BoardEntry> unpack(long[] packed) {
        PackedNumbers rows = PackedNumbers.reader(packed);
        List<BoardEntry> out = new ArrayList<>();
        for (long left = rows.next()[0]; left > 0; left--) {
            out.add(BoardEntry.of(rows.next()));
        }
        return out;
    }

    /** All of it as numbers, for a copy on another server. */
    long[] numbers() {
        long[] kept = from(first);
        long[] all = new long[kept.length + 1];
        all[0] = first;
        System.arraycopy(kept, 0, all, 1, kept.length);
        return all;
    }

    void restore(long[] numbers) {
        first = numbers[0];
        entries.clear();
        long[] kept = new long[numbers.length - 1];
        System.arraycopy(numbers, 1, kept, 0, kept.length);
        unpack(kept).forEach(entry -> entries.add(entry.numbers()));
    }

    /** A log whose next entry has a number: that of a run that goes on. */
    void beginAt(long number) {
        entries.clear();
        first = number;
    }
}
