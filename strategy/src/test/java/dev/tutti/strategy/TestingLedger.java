package dev.tutti.strategy;

import dev.tutti.comm.Leases;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/** The ledger of a cluster in memory; refuses what the real one refuses. */
final class TestingLedger {
    private final Map<Integer, Epoch> epochs = new HashMap<>();
    private final TestingCluster.Hook hook;

    TestingLedger(TestingCluster.Hook hook) {
        this.hook = hook;
    }

    private static final class Epoch {
        private final int chunks;
        private final TreeMap<Integer, String> used = new TreeMap<>();
        private final TreeMap<Integer, String> leased = new TreeMap<>();

        Epoch(int chunks) {
            this.chunks = chunks;
        }
    }

    synchronized void lost(String member) {
        epochs.values().forEach(epoch -> epoch.leased.values().removeIf(member::equals));
    }

    synchronized int chunks(int epoch) {
        return epochs.get(epoch).chunks;
    }

    synchronized Map<Integer, String> used(int epoch) {
        return new TreeMap<>(epochs.get(epoch).used);
    }

    Leases of(String member) {
        return new Leases() {
            @Override
            public void begin(int epoch, int chunks, List<Integer> used) {
                synchronized (TestingLedger.this) {
                    Epoch known = epochs.computeIfAbsent(epoch, number -> {
                        Epoch begun = new Epoch(chunks);
                        used.forEach(chunk -> begun.used.put(chunk, "a run before"));
                        return begun;
                    });
                    require(known.chunks == chunks, member + " says " + chunks + " chunks, not " + known.chunks);
                }
            }

            @Override
            public OptionalInt lease(int epoch) {
                hook.at(member, "lease");
                synchronized (TestingLedger.this) {
                    Epoch now = epochs.get(epoch);
                    for (int chunk = 0; chunk < now.chunks; chunk++) {
                        if (!now.used.containsKey(chunk) && !now.leased.containsKey(chunk)) {
                            now.leased.put(chunk, member);
                            return OptionalInt.of(chunk);
                        }
                    }
                    return OptionalInt.empty();
                }
            }

            @Override
            public void used(int epoch, List<Integer> chunks) {
                synchronized (TestingLedger.this) {
                    Epoch now = epochs.get(epoch);
                    for (int chunk : chunks) {
                        require(now.used.get(chunk) == null, chunk + " was used by " + now.used.get(chunk));
                        require(member.equals(now.leased.remove(chunk)), chunk + " is not " + member + "'s");
                        now.used.put(chunk, member);
                    }
                }
                hook.at(member, "used");
            }

            @Override
            public void giveBack(int epoch) {
                lost(member);
            }

            @Override
            public List<Integer> used(int epoch) {
                return List.copyOf(TestingLedger.this.used(epoch).keySet());
            }
        };
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }
}
