package dev.tutti.cluster;

import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorLostException;
import dev.tutti.cluster.rpc.Membership;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Leases;
import dev.tutti.comm.MemberLostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Chunks of one data set, leased from the coordinator's ledger. */
final class RemoteLeases implements Leases {
    private final CoordinatorClient client;
    private final Supplier<Membership> self;
    private final String dataset;
    private final Map<Integer, TreeSet<Integer>> held = new HashMap<>();

    RemoteLeases(CoordinatorClient client, Supplier<Membership> self, String dataset) {
        this.client = client;
        this.self = self;
        this.dataset = dataset;
    }

    @Override
    public synchronized void begin(int epoch, int chunks, List<Integer> used) {
        ask(() -> {
            client.begin(self.get(), dataset, epoch, chunks, used);
            return true;
        });
    }

    @Override
    public synchronized OptionalInt lease(int epoch, ChunkPreference preference) {
        TreeSet<Integer> mine = held.computeIfAbsent(epoch, number -> new TreeSet<>());
        OptionalInt chunk = ask(() -> client.lease(self.get(), dataset, epoch, List.copyOf(mine), preference));
        chunk.ifPresent(mine::add);
        return chunk;
    }

    @Override
    public synchronized void used(int epoch, List<Integer> chunks) {
        ask(() -> {
            client.use(self.get(), dataset, epoch, chunks);
            return true;
        });
        held.getOrDefault(epoch, new TreeSet<>()).removeAll(chunks);
    }

    @Override
    public synchronized void giveBack(int epoch) {
        ask(() -> {
            client.giveBack(self.get(), dataset, epoch);
            return true;
        });
        held.remove(epoch);
    }

    @Override
    public List<Integer> used(int epoch) {
        return ask(() -> client.used(self.get(), dataset, epoch));
    }

    /** This member has a new identity: what it had leased under the one before goes to others. */
    synchronized void forget() {
        held.clear();
    }

    private static <T> T ask(Supplier<T> question) {
        try {
            return question.get();
        } catch (RefusedException e) {
            if (e.kind() == RefusedException.Kind.GONE || e.kind() == RefusedException.Kind.UNKNOWN) {
                throw new GroupChangedException(e.getMessage(), e);
            }
            throw e;
        } catch (CoordinatorLostException e) {
            throw new MemberLostException(List.of("coordinator"), e.getMessage(), e);
        }
    }
}
