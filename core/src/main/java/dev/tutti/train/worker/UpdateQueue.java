package dev.tutti.train.worker;

import dev.tutti.array.Range;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Pieces of a vector, each worked on once by the next free thread, as soon as its users have left it. Any thread may call. */
final class UpdateQueue {
    private static final int TAKEN = -1;

    private final List<Range> ranges;
    private final AtomicIntegerArray users; // of each piece; or TAKEN

    UpdateQueue(List<Range> ranges) {
        this.ranges = List.copyOf(ranges);
        users = new AtomicIntegerArray(ranges.size());
    }

    /** All of them are to be worked on, and so many are still using them: each of those needs a {@link #leaver}. */
    void layOut(int usersOfEach) {
        for (int piece = 0; piece < ranges.size(); piece++) {
            users.set(piece, usersOfEach);
        }
    }

    /** Takes the ranges one of the users has left, which may overlap; belongs to one thread. */
    Consumer<Range> leaver() {
        boolean[] left = new boolean[ranges.size()];
        return range -> {
            for (int piece = 0; piece < left.length; piece++) {
                if (!left[piece] && range.contains(ranges.get(piece))) {
                    left[piece] = true;
                    users.decrementAndGet(piece);
                }
            }
        };
    }

    /** Whether there is one that all have left and none has taken. */
    boolean canTake() {
        for (int piece = 0; piece < ranges.size(); piece++) {
            if (users.get(piece) == 0) {
                return true;
            }
        }
        return false;
    }

    /** Works on a piece that all have left, the last one first since backward passes begin there; says whether there was one. */
    boolean take(IntConsumer work) {
        for (int piece = ranges.size() - 1; piece >= 0; piece--) {
            if (users.get(piece) == 0 && users.compareAndSet(piece, 0, TAKEN)) {
                work.accept(piece);
                return true;
            }
        }
        return false;
    }
}
