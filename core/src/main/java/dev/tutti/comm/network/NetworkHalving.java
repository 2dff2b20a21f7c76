package dev.tutti.comm.network;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Group;
import dev.tutti.comm.transport.TrafficMeter;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorLinks.Transfer;
import java.util.ArrayList;
import java.util.List;

/**
 * Recursive halving and doubling, for groups of 2, 4, 8, ... members: in each round a member exchanges half of what it still sums with
 * one other member, half as far away as in the round before; then the sums come back the same way. As many rounds as the number of members
 * has bits, and the fewest bytes there can be.
 */
final class NetworkHalving {
    private static final long PIECE_BYTES = 1 << 20;

    private final Group group;
    private final NetworkWire wire;
    private final TrafficMeter meter;
    private final String purpose;
    private final Tensor values;
    private final DType type;

    NetworkHalving(Group group, NetworkWire wire, TrafficMeter meter, String purpose, Tensor values) {
        this.group = group;
        this.wire = wire;
        this.meter = meter;
        this.purpose = purpose;
        this.values = values;
        this.type = values.type();
    }

    /** Afterwards the part of this member is the sum of all. */
    void halve() {
        int first = 0;
        int count = group.size();
        Tensor arrived = Tensor.empty(Shape.of(parts(0, Math.max(1, count / 2)).length() + group.size()), type);
        for (int distance = group.size() / 2; distance >= 1; distance /= 2) {
            int peer = group.rank() ^ distance;
            count /= 2;
            boolean upper = (group.rank() & distance) != 0;
            Range kept = parts(upper ? first + count : first, count);
            Range given = parts(upper ? first : first + count, count);
            first = upper ? first + count : first;
            List<Range> pieces = pieces(kept);
            List<Transfer> receiving = new ArrayList<>();
            for (Range piece : pieces) {
                Tensor target = arrived.narrow(0, piece.from() - kept.from(), piece.length());
                receiving.add(wire.receive(target, peer, purpose));
            }
            List<Transfer> sending = send(given, peer);
            NativeMemory mine = NativeMemory.of(values);
            NativeMemory theirs = NativeMemory.of(arrived);
            for (int i = 0; i < pieces.size(); i++) {
                wire.await(receiving.get(i), peer, purpose);
                Range piece = pieces.get(i);
                long at = piece.from() * type.bytes();
                long from = (piece.from() - kept.from()) * type.bytes();
                mine.sum(type, at, theirs, from, mine, at, piece.length());
            }
            meter.add(0, kept.length() * type.bytes());
            sending.forEach(transfer -> wire.await(transfer, peer, purpose));
        }
    }

    /** Gives the parts of all members to all. */
    void doubleUp() {
        int first = group.rank();
        int count = 1;
        for (int distance = 1; distance < group.size(); distance *= 2) {
            int peer = group.rank() ^ distance;
            boolean upper = (group.rank() & distance) != 0;
            Range wanted = parts(upper ? first - count : first + count, count);
            List<Transfer> transfers = new ArrayList<>();
            pieces(wanted).forEach(piece -> transfers.add(wire.receive(narrow(piece), peer, purpose)));
            transfers.addAll(send(parts(first, count), peer));
            transfers.forEach(transfer -> wire.await(transfer, peer, purpose));
            meter.add(0, wanted.length() * type.bytes());
            first = upper ? first - count : first;
            count *= 2;
        }
    }

    private List<Transfer> send(Range range, int peer) {
        List<Transfer> sending = new ArrayList<>();
        pieces(range).forEach(piece -> sending.add(wire.send(narrow(piece), peer, purpose)));
        meter.add(range.length() * type.bytes(), 0);
        return sending;
    }

    /** The parts of some members that follow each other. */
    private Range parts(int first, int count) {
        Range begin = group.part(values.size(), first);
        return Range.between(
                begin.from(), group.part(values.size(), first + count - 1).to());
    }

    private List<Range> pieces(Range range) {
        long most = PIECE_BYTES / type.bytes();
        List<Range> pieces = new ArrayList<>();
        for (long from = range.from(); from < range.to(); from += most) {
            pieces.add(Range.between(from, Math.min(range.to(), from + most)));
        }
        return pieces;
    }

    private Tensor narrow(Range range) {
        return values.narrow(0, range.from(), range.length());
    }
}
