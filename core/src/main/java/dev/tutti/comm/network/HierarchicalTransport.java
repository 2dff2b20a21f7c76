package dev.tutti.comm.network;

import dev.tutti.array.Range;
import dev.tutti.comm.Traffic;
import dev.tutti.comm.connection.Hosts;
import dev.tutti.comm.sharedmemory.SharedMemoryTransport;
import dev.tutti.comm.transport.CollectiveCall;
import dev.tutti.comm.transport.Transport;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Members of several machines: those of one machine share memory, and one of each speaks with the other machines.
 *
 * <p>A sum is made on each machine, then between the machines, then given to all members of a machine: what travels between
 * machines does not depend on how many members each has. Messages, and what goes from one member to one other on another
 * machine, take connections of their own.
 */
final class HierarchicalTransport implements Transport {
    private final Hosts hosts;
    private final SharedMemoryTransport local;
    private final NetworkTransport wire;
    private final Transport direct;
    private final List<Transport> transports = new ArrayList<>();

    /**
     * @param local between the members of this machine; null for one that has no others there
     * @param wire between those who speak for their machines; null for the rest
     * @param direct between any two
     */
    HierarchicalTransport(Hosts hosts, SharedMemoryTransport local, NetworkTransport wire, Transport direct) {
        this.hosts = hosts;
        this.local = local;
        this.wire = wire;
        this.direct = direct;
        if (local != null) {
            transports.add(local);
        }
        if (wire != null) {
            transports.add(wire);
        }
        transports.add(direct);
    }

    /** Messages go between any two members, so that calls of all kinds meet each other and are compared. */
    @Override
    public List<CollectiveCall> agree(CollectiveCall mine, String purpose) {
        about(purpose);
        return direct.agree(mine, purpose);
    }

    @Override
    public CollectiveCall answer(CollectiveCall mine, int peer, String purpose) {
        about(purpose);
        return direct.answer(mine, peer, purpose);
    }

    private void about(String purpose) {
        if (local != null) {
            local.about(purpose);
        }
        if (wire != null) {
            wire.about(purpose);
        }
    }

    @Override
    public void allReduce(Tensor values) {
        if (local != null) {
            local.allReduce(values);
        }
        if (wire != null) {
            wire.allReduce(values);
        }
        if (local != null) {
            local.broadcast(values, 0);
        }
    }

    /** The sum comes to every machine as a whole, so there is nothing to be saved by leaving parts out. */
    @Override
    public void reduceScatter(Tensor values) {
        allReduce(values);
    }

    @Override
    public void allGather(Tensor values) {
        for (int rank = 0; rank < hosts.group().size(); rank++) {
            Range part = hosts.group().part(values.size(), rank);
            if (!part.isEmpty()) {
                broadcast(values.narrow(0, part.from(), part.length()), rank);
            }
        }
    }

    @Override
    public void broadcast(Tensor values, int root) {
        if (local != null && hosts.isHere(root)) {
            local.broadcast(values, hosts.place(root));
        }
        if (wire != null) {
            wire.broadcast(values, hosts.hostOf(root));
        }
        if (local != null && !hosts.isHere(root)) {
            local.broadcast(values, 0);
        }
    }

    @Override
    public void send(Tensor values, int to) {
        if (hosts.isHere(to)) {
            local.send(values, hosts.place(to));
        } else {
            direct.send(values, to);
        }
    }

    @Override
    public void receive(Tensor values, int from) {
        if (hosts.isHere(from)) {
            local.receive(values, hosts.place(from));
        } else {
            direct.receive(values, from);
        }
    }

    @Override
    public Traffic traffic() {
        long sent = 0;
        long received = 0;
        for (Transport transport : transports) {
            sent += transport.traffic().sent();
            received += transport.traffic().received();
        }
        return new Traffic(sent, received);
    }

    @Override
    public void tell(RuntimeException failure) {
        transports.forEach(transport -> transport.tell(failure));
    }

    @Override
    public void wake() {
        transports.forEach(Transport::wake);
    }

    @Override
    public void close() {
        transports.forEach(Transport::close);
    }
}
