package dev.tutti.comm.network;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Group;
import dev.tutti.comm.transport.LinkCosts;
import dev.tutti.comm.transport.TrafficMeter;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorLinks.Transfer;
import java.util.ArrayList;
import java.util.List;

/** Sums and gatherings in which every member sends to all others at once: one round, where a ring would take as many as there are members. */
final class NetworkDirect {
    private final Group group;
    private final NetworkWire wire;
    private final TrafficMeter meter;
    private final String purpose;
    private final Tensor values;
    private final DType type;

    NetworkDirect(Group group, NetworkWire wire, TrafficMeter meter, String purpose, Tensor values) {
        this.group = group;
        this.wire = wire;
        this.meter = meter;
        this.purpose = purpose;
        this.values = values;
        this.type = values.type();
    }

    /** All elements to all members, each of which adds all of them. */
    void sumWhole() {
        Range all = new Range(0, values.size());
        Tensor arrived = exchange(rank -> all, all);
        SumOrder order = new SumOrder(type, rows(arrived, all));
        if (inPairs()) {
            order.inPairs(group.rank(), 0, all.length());
            return;
        }
        for (int part = 0; part < group.size(); part++) {
            // The sum is made where the ring would end, so that no row is used after it has become a sum of another
            // part.
            Range range = group.part(values.size(), part);
            if (!range.isEmpty()) {
                order.aroundRing(part, group.rank(), range.from(), range.length());
            }
        }
    }

    /** Each part to the member that it belongs to, which adds it. */
    void sumParts() {
        Range own = group.part(values.size());
        Tensor arrived = exchange(rank -> group.part(values.size(), rank), own);
        if (own.isEmpty()) {
            return;
        }
        SumOrder order = new SumOrder(type, rows(arrived, own));
        if (inPairs()) {
            order.inPairs(group.rank(), 0, own.length());
        } else {
            order.aroundRing(group.rank(), group.rank(), 0, own.length());
        }
    }

    /** The part of each member to all others. */
    void gather() {
        Range own = group.part(values.size());
        List<Transfer> transfers = new ArrayList<>();
        List<Integer> peers = new ArrayList<>();
        for (int rank : others()) {
            Range theirs = group.part(values.size(), rank);
            if (!theirs.isEmpty()) {
                transfers.add(wire.receive(narrow(theirs), rank, purpose));
                peers.add(rank);
                meter.add(0, bytes(theirs));
            }
        }
        send(rank -> own, transfers, peers);
        await(transfers, peers);
    }

    private interface RangeTo {
        Range of(int rank);
    }

    /** Sends each other member a range, and returns those that it got of one range of its own, one behind the other by rank. */
    private Tensor exchange(RangeTo sent, Range wanted) {
        Tensor arrived = Tensor.empty(Shape.of((long) (group.size() - 1) * wanted.length()), type);
        List<Transfer> transfers = new ArrayList<>();
        List<Integer> peers = new ArrayList<>();
        int row = 0;
        for (int rank : others()) {
            if (!wanted.isEmpty()) {
                Tensor target = arrived.narrow(0, row * wanted.length(), wanted.length());
                transfers.add(wire.receive(target, rank, purpose));
                peers.add(rank);
                meter.add(0, bytes(wanted));
            }
            row++;
        }
        send(sent, transfers, peers);
        await(transfers, peers);
        return arrived;
    }

    private void send(RangeTo sent, List<Transfer> transfers, List<Integer> peers) {
        for (int rank : others()) {
            Range range = sent.of(rank);
            if (!range.isEmpty()) {
                transfers.add(wire.send(narrow(range), rank, purpose));
                peers.add(rank);
                meter.add(bytes(range), 0);
            }
        }
    }

    private void await(List<Transfer> transfers, List<Integer> peers) {
        for (int i = 0; i < transfers.size(); i++) {
            wire.await(transfers.get(i), peers.get(i), purpose);
        }
    }

    /** The next ones first, so that not all members send to the same one at the same time. */
    private List<Integer> others() {
        List<Integer> ranks = new ArrayList<>();
        for (int distance = 1; distance < group.size(); distance++) {
            ranks.add((group.rank() + distance) % group.size());
        }
        return ranks;
    }

    private List<SumOrder.Row> rows(Tensor arrived, Range range) {
        NativeMemory mine = NativeMemory.of(values);
        NativeMemory theirs = NativeMemory.of(arrived);
        List<SumOrder.Row> rows = new ArrayList<>();
        for (int rank = 0; rank < group.size(); rank++) {
            int place = Math.floorMod(rank - group.rank() - 1, group.size());
            rows.add(
                    rank == group.rank()
                            ? new SumOrder.Row(mine, range.from() * type.bytes())
                            : new SumOrder.Row(theirs, place * range.length() * type.bytes()));
        }
        return rows;
    }

    private boolean inPairs() {
        return LinkCosts.addsInPairs(group.size(), values.size() * type.bytes());
    }

    private Tensor narrow(Range range) {
        return values.narrow(0, range.from(), range.length());
    }

    private long bytes(Range range) {
        return range.length() * type.bytes();
    }
}
