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
 * One sum or gathering on a ring: every member sends to the next and receives from the one before.
 *
 * <p>Parts go round once to be summed and, for all to have them, round again; each member sends every part but one in each round,
 * which is the least there can be. A part is cut into pieces that are sent on as soon as they have arrived, so that adding and
 * sending overlap. The sum of a part is made on one way round and copied from there: the bits are the same everywhere.
 */
final class NetworkRing {
    /** Elements of a piece are added while the next one is on its way. */
    private static final long PIECE_BYTES = 1 << 20;

    private final Group group;
    private final NetworkWire wire;
    private final TrafficMeter meter;
    private final String purpose;
    private final Tensor values;
    private final DType type;
    private final boolean reduce;
    private final boolean gather;
    private final int next;
    private final int previous;
    private final long most;
    private final int pieces;
    private final Tensor arrived;
    private final List<Transfer> sends = new ArrayList<>();

    NetworkRing(
            Group group,
            NetworkWire wire,
            TrafficMeter meter,
            String purpose,
            Tensor values,
            boolean reduce,
            boolean gather) {
        this.group = group;
        this.wire = wire;
        this.meter = meter;
        this.purpose = purpose;
        this.values = values;
        this.type = values.type();
        this.reduce = reduce;
        this.gather = gather;
        next = (group.rank() + 1) % group.size();
        previous = (group.rank() + group.size() - 1) % group.size();
        most = PIECE_BYTES / type.bytes();
        long longest = group.part(values.size(), 0).length();
        pieces = Math.toIntExact((longest + most - 1) / most);
        arrived = reduce ? Tensor.empty(Shape.of(longest), type) : null;
    }

    void run() {
        int once = group.size() - 1;
        int rounds = reduce && gather ? 2 * once : once;
        Transfer[] receiving = new Transfer[pieces];
        for (int piece = 0; piece < pieces; piece++) {
            receiving[piece] = receive(0, piece);
        }
        for (int piece = 0; piece < pieces; piece++) {
            send(0, piece);
        }
        for (int step = 0; step < rounds; step++) {
            for (int piece = 0; piece < pieces; piece++) {
                if (receiving[piece] != null) {
                    wire.await(receiving[piece], previous, purpose);
                    if (sums(step)) {
                        add(range(partReceived(step), piece), piece);
                    }
                }
                if (step + 1 < rounds) {
                    receiving[piece] = receive(step + 1, piece);
                    send(step + 1, piece);
                }
            }
        }
        sends.forEach(transfer -> wire.await(transfer, next, purpose));
    }

    private boolean sums(int step) {
        return reduce && step < group.size() - 1;
    }

    /** In the first round a part ends with the member it belongs to; in the second it begins there. */
    private int partSent(int step) {
        int back = reduce ? step + 1 : step;
        return Math.floorMod(group.rank() - back, group.size());
    }

    private int partReceived(int step) {
        int back = reduce ? step + 2 : step + 1;
        return Math.floorMod(group.rank() - back, group.size());
    }

    private Range range(int part, int piece) {
        Range whole = group.part(values.size(), part);
        long from = Math.min(whole.to(), whole.from() + piece * most);
        return Range.between(from, Math.min(whole.to(), from + most));
    }

    private void send(int step, int piece) {
        Range range = range(partSent(step), piece);
        if (!range.isEmpty()) {
            sends.add(wire.send(values.narrow(0, range.from(), range.length()), next, purpose));
            meter.add(range.length() * type.bytes(), 0);
        }
    }

    private Transfer receive(int step, int piece) {
        Range range = range(partReceived(step), piece);
        if (range.isEmpty()) {
            return null;
        }
        meter.add(0, range.length() * type.bytes());
        Tensor target = sums(step)
                ? arrived.narrow(0, piece * most, range.length())
                : values.narrow(0, range.from(), range.length());
        return wire.receive(target, previous, purpose);
    }

    private void add(Range range, int piece) {
        long width = type.bytes();
        NativeMemory mine = NativeMemory.of(values);
        long at = range.from() * width;
        mine.sum(type, at, NativeMemory.of(arrived), piece * most * width, mine, at, range.length());
    }
}
