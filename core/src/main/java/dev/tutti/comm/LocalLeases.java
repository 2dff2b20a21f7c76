package dev.tutti.comm;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Leases of a member on its own: it gets one chunk after the other. */
final class LocalLeases implements Leases {
    private final Map<Integer, Epoch> epochs = new HashMap<>();

    private static final class Epoch {
        private final BitSet used = new BitSet();
        private final BitSet given = new BitSet();
        private final int chunks;

        Epoch(int chunks) {
            this.chunks = chunks;
        }
    }

    @Override
    public synchronized void begin(int epoch, int chunks, List<Integer> used) {
        epochs.computeIfAbsent(epoch, number -> {
            Epoch begun = new Epoch(chunks);
            used.forEach(begun.used::set);
            begun.given.or(begun.used);
            return begun;
        });
    }

    @Override
    public synchronized OptionalInt lease(int epoch, ChunkPreference preference) {
        Epoch now = epochs.get(epoch);
        OptionalInt next = preference.choose(now.given, now.chunks);
        next.ifPresent(now.given::set);
        return next;
    }

    @Override
    public synchronized void used(int epoch, List<Integer> chunks) {
        chunks.forEach(epochs.get(epoch).used::set);
    }

    @Override
    public synchronized void giveBack(int epoch) {
        Epoch now = epochs.get(epoch);
        now.given.clear();
        now.given.or(now.used);
    }

    @Override
    public synchronized List<Integer> used(int epoch) {
        return new ArrayList<>(epochs.get(epoch).used.stream().boxed().toList());
    }
}
