package dev.tutti.comm.sharedmemory;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.comm.Group;
import dev.tutti.comm.Traffic;
import dev.tutti.comm.sharedmemory.SegmentLayout.Note;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.comm.transport.CollectiveCall;
import dev.tutti.comm.transport.SharedVectors;
import dev.tutti.comm.transport.TrafficMeter;
import dev.tutti.comm.transport.Transport;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Members that have one {@link Segment} of memory mapped.
 *
 * <p>Elements go through the segment in pieces that stay in the caches. For each piece a member first lays ready what the others
 * sum; then sums its own part, always in the order of ranks, and lays the result ready; then takes the others' results. The three
 * are done for different pieces in turn, so that what a member waits for was usually done a while ago. No member waits at the end:
 * slots are used again only after all have said that they are done with them.
 */
public final class SharedMemoryTransport implements Transport {
    private final Group group;
    private final Segment segment;
    private final SegmentLayout map;
    private final SegmentNotes notes;
    private final SegmentMailbox mail;
    private final TrafficMeter meter = new TrafficMeter();
    private long calls;
    private long pieces;
    private String purpose = "";

    /** @param whole the group that calls are about, of which {@code group} may be only the members on this machine */
    SharedMemoryTransport(Group group, Group whole, Segment segment, CallDeadline patience) {
        this.group = group;
        this.segment = segment;
        this.map = new SegmentLayout(group.size());
        this.notes = new SegmentNotes(group, whole, segment, map, patience);
        this.mail = new SegmentMailbox(group, whole, segment, map, notes);
    }

    /** Waits until all have mapped the segment. */
    void awaitAll() {
        purpose = "the beginning of generation " + group.generation();
        notes.awaitAll(Note.STATE, 1, purpose);
    }

    /** Says what the next elements are for, where calls are compared elsewhere. */
    public void about(String what) {
        purpose = what;
    }

    @Override
    public List<CollectiveCall> agree(CollectiveCall mine, String about) {
        purpose = about;
        calls++;
        notes.writeCall(map.call(group.rank(), calls), mine);
        notes.set(Note.CALLS, calls);
        notes.awaitAll(Note.CALLS, calls, purpose);
        List<CollectiveCall> all = new ArrayList<>(group.size());
        for (int rank = 0; rank < group.size(); rank++) {
            all.add(rank == group.rank() ? mine : notes.readCall(map.call(rank, calls)));
        }
        return all;
    }

    @Override
    public CollectiveCall answer(CollectiveCall mine, int peer, String about) {
        return mail.answer(mine, peer, about);
    }

    @Override
    public void allReduce(Tensor values) {
        if (group.size() == 2) {
            exchange(values);
        } else {
            inParts(values, true, true);
        }
    }

    @Override
    public void reduceScatter(Tensor values) {
        inParts(values, true, false);
    }

    @Override
    public void allGather(Tensor values) {
        inParts(values, false, true);
    }

    /** Between two it is as much to lay everything ready and sum everything, with half of the waiting. */
    private void exchange(Tensor tensor) {
        NativeMemory values = NativeMemory.of(tensor);
        DType type = tensor.type();
        long size = values.bytes();
        int other = 1 - group.rank();
        long count = (size + SegmentLayout.SLOT - 1) / SegmentLayout.SLOT;
        for (long step = 0; step <= count; step++) {
            if (step < count) {
                long piece = pieces + step;
                awaitFree(piece);
                long at = step * SegmentLayout.SLOT;
                segment.memory()
                        .copy(map.slot(group.rank(), piece), values, at, Math.min(SegmentLayout.SLOT, size - at));
                notes.set(Note.STAGED, piece + 1);
            }
            if (step > 0) {
                long piece = pieces + step - 1;
                notes.await(other, Note.STAGED, piece + 1, purpose);
                long at = (step - 1) * SegmentLayout.SLOT;
                long elements = Math.min(SegmentLayout.SLOT, size - at) / type.bytes();
                long theirs = map.slot(other, piece);
                if (group.rank() == 0) { // the order of ranks, so that the bits are the same even of two NaNs
                    values.sum(type, at, values, at, segment.memory(), theirs, elements);
                } else {
                    values.sum(type, at, segment.memory(), theirs, values, at, elements);
                }
                notes.set(Note.REDUCED, piece + 1);
                notes.set(Note.TAKEN, piece + 1);
            }
        }
        pieces += count;
        meter.add(size, size);
    }

    private void inParts(Tensor tensor, boolean reduce, boolean gather) {
        Parts work = new Parts(NativeMemory.of(tensor), tensor.type(), tensor.size(), reduce, gather);
        long count = work.count();
        for (long step = 0; step < count + 2; step++) {
            if (step < count) {
                work.stage(step);
            }
            if (step >= 1 && step <= count) {
                work.reduce(step - 1);
            }
            if (step >= 2) {
                work.take(step - 2);
            }
        }
        pieces += count;
        long own = group.part(tensor.size()).length() * tensor.type().bytes();
        if (reduce) {
            meter.reduceScatter(work.values.bytes(), own, group.size());
        }
        if (gather) {
            meter.allGather(work.values.bytes(), own, group.size());
        }
    }

    /** One call in which each member has its part of the elements; a piece holds some elements of every part. */
    private final class Parts {
        private final NativeMemory values;
        private final DType type;
        private final long elements;
        private final boolean reduce;
        private final boolean gather;
        private final long most;

        Parts(NativeMemory values, DType type, long elements, boolean reduce, boolean gather) {
            this.values = values;
            this.type = type;
            this.elements = elements;
            this.reduce = reduce;
            this.gather = gather;
            int line = 64;
            this.most = (long) SegmentLayout.SLOT / group.size() / line * line / type.bytes();
        }

        long count() {
            return (group.part(elements, 0).length() + most - 1) / most;
        }

        /** The elements of one part that belong to a piece. */
        private Range range(long step, int part) {
            Range whole = group.part(elements, part);
            long from = Math.min(whole.to(), whole.from() + step * most);
            return Range.between(from, Math.min(whole.to(), from + most));
        }

        private long inSlot(int rank, long step, int part) {
            return map.slot(rank, pieces + step) + part * most * type.bytes();
        }

        void stage(long step) {
            awaitFree(pieces + step);
            for (int part = 0; reduce && part < group.size(); part++) {
                if (part != group.rank()) {
                    toSlot(step, part);
                }
            }
            notes.set(Note.STAGED, pieces + step + 1);
        }

        private void toSlot(long step, int part) {
            Range range = range(step, part);
            segment.memory()
                    .copy(
                            inSlot(group.rank(), step, part),
                            values,
                            range.from() * type.bytes(),
                            range.length() * type.bytes());
        }

        void reduce(long step) {
            if (reduce) {
                notes.awaitAll(Note.STAGED, pieces + step + 1, purpose);
                sum(step, range(step, group.rank()));
            } else {
                toSlot(step, group.rank());
            }
            notes.set(Note.REDUCED, pieces + step + 1);
        }

        /** Sums up in this member's own slot, where its own part has been left free. */
        private void sum(long step, Range range) {
            int self = group.rank();
            NativeMemory shared = segment.memory();
            long at = inSlot(self, step, self);
            long own = range.from() * type.bytes();
            for (int rank = 1; rank < group.size(); rank++) {
                boolean first = rank == 1;
                NativeMemory left = first && self == 0 ? values : shared;
                long fromLeft = !first ? at : self == 0 ? own : inSlot(0, step, self);
                NativeMemory right = rank == self ? values : shared;
                long fromRight = rank == self ? own : inSlot(rank, step, self);
                shared.sum(type, at, left, fromLeft, right, fromRight, range.length());
            }
            values.copy(own, shared, at, range.length() * type.bytes());
        }

        void take(long step) {
            if (gather) {
                notes.awaitAll(Note.REDUCED, pieces + step + 1, purpose);
                for (int part = 0; part < group.size(); part++) {
                    if (part != group.rank()) {
                        Range range = range(step, part);
                        values.copy(
                                range.from() * type.bytes(),
                                segment.memory(),
                                inSlot(part, step, part),
                                range.length() * type.bytes());
                    }
                }
            }
            notes.set(Note.TAKEN, pieces + step + 1);
        }
    }

    @Override
    public void broadcast(Tensor tensor, int root) {
        NativeMemory values = NativeMemory.of(tensor);
        long count = (values.bytes() + SegmentLayout.SLOT - 1) / SegmentLayout.SLOT;
        for (long step = 0; step < count; step++) {
            long at = step * SegmentLayout.SLOT;
            long length = Math.min(SegmentLayout.SLOT, values.bytes() - at);
            if (root == group.rank()) {
                awaitFree(pieces + step);
                segment.memory().copy(map.slot(root, pieces + step), values, at, length);
            } else {
                notes.await(root, Note.STAGED, pieces + step + 1, purpose);
                values.copy(at, segment.memory(), map.slot(root, pieces + step), length);
            }
            notes.set(Note.STAGED, pieces + step + 1);
            notes.set(Note.REDUCED, pieces + step + 1);
            notes.set(Note.TAKEN, pieces + step + 1);
        }
        pieces += count;
        meter.broadcast(values.bytes(), root == group.rank(), group.size());
    }

    @Override
    public Optional<SharedVectors> share(DType type, long elements) {
        return SegmentVectors.open(group, this, notes, meter, type, elements);
    }

    /** Waits until no member needs the present content of the slot for a piece any more. */
    private void awaitFree(long piece) {
        if (piece >= SegmentLayout.SLOTS) {
            notes.awaitAll(Note.TAKEN, piece - SegmentLayout.SLOTS + 1, purpose);
        }
    }

    @Override
    public void send(Tensor values, int to) {
        NativeMemory memory = NativeMemory.of(values);
        mail.send(memory, to);
        meter.add(memory.bytes(), 0);
    }

    @Override
    public void receive(Tensor values, int from) {
        NativeMemory memory = NativeMemory.of(values);
        mail.receive(memory, from);
        meter.add(0, memory.bytes());
    }

    @Override
    public Traffic traffic() {
        return meter.traffic();
    }

    @Override
    public void tell(RuntimeException failure) {
        notes.leave(failure);
    }

    @Override
    public void wake() {}

    @Override
    public void close() {
        notes.leave(null);
        segment.close();
    }
}
