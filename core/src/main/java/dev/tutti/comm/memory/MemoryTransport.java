package dev.tutti.comm.memory;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.MismatchedCallException;
import dev.tutti.comm.Traffic;
import dev.tutti.comm.memory.MemoryGroupState.Step;
import dev.tutti.comm.transport.CallAgreement;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.comm.transport.CollectiveCall;
import dev.tutti.comm.transport.CollectiveOperation;
import dev.tutti.comm.transport.SharedVectors;
import dev.tutti.comm.transport.TrafficMeter;
import dev.tutti.comm.transport.Transport;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Members that are threads of one JVM: each sums its part directly out of the others' tensors and writes it into them.
 *
 * <p>Sums are made in the order of ranks, in pieces that stay in the cache until they are written to all members.
 */
final class MemoryTransport implements Transport {
    private static final long PIECE_BYTES = 1 << 17;

    private final Group group;
    private final MemoryGroupState room;
    private final CallDeadline patience;
    private final CallAgreement agreement;
    private final TrafficMeter meter = new TrafficMeter();
    private String purpose = "";
    private boolean gone;

    MemoryTransport(Group group, MemoryGroupState room, CallDeadline patience) {
        this.group = group;
        this.room = room;
        this.patience = patience;
        this.agreement = new CallAgreement(group);
    }

    @Override
    public List<CollectiveCall> agree(CollectiveCall mine, String about) {
        purpose = about;
        int self = group.rank();
        long number = room.get(self, Step.CALLED) + 1;
        room.call(self, number, mine);
        room.advance(self, Step.CALLED);
        awaitAll(Step.CALLED, number);
        List<CollectiveCall> all = new ArrayList<>();
        for (int rank = 0; rank < group.size(); rank++) {
            all.add(room.call(rank, number));
        }
        return all;
    }

    @Override
    public void allReduce(Tensor values) {
        Range part = group.part(values.size());
        together(values, all -> sum(values.type(), part, all, true));
        long own = part.length() * values.type().bytes();
        meter.reduceScatter(bytes(values), own, group.size());
        meter.allGather(bytes(values), own, group.size());
    }

    @Override
    public void reduceScatter(Tensor values) {
        Range part = group.part(values.size());
        together(values, all -> sum(values.type(), part, all, false));
        meter.reduceScatter(bytes(values), part.length() * values.type().bytes(), group.size());
    }

    @Override
    public void allGather(Tensor values) {
        Range part = group.part(values.size());
        long width = values.type().bytes();
        together(values, all -> spread(all, group.rank(), part.from() * width, part.length() * width));
        meter.allGather(bytes(values), part.length() * width, group.size());
    }

    @Override
    public void broadcast(Tensor values, int root) {
        together(values, all -> {
            if (group.rank() != root) {
                all.get(group.rank()).copy(0, all.get(root), 0, bytes(values));
            }
        });
        meter.broadcast(bytes(values), group.rank() == root, group.size());
    }

    /** Sums this member's part in the tensor of the first one, which no other member touches there, and copies it from there. */
    private void sum(DType type, Range part, List<NativeMemory> all, boolean toAll) {
        NativeMemory first = all.get(0);
        long width = type.bytes();
        long most = PIECE_BYTES / width;
        for (long from = part.from(); from < part.to(); from += most) {
            long count = Math.min(most, part.to() - from);
            long at = from * width;
            for (int rank = 1; rank < all.size(); rank++) {
                first.sum(type, at, first, at, all.get(rank), at, count);
            }
            if (toAll) {
                spread(all, 0, at, count * width);
            } else if (group.rank() != 0) {
                all.get(group.rank()).copy(at, first, at, count * width);
            }
        }
    }

    private static void spread(List<NativeMemory> all, int source, long at, long count) {
        for (int rank = 0; rank < all.size(); rank++) {
            if (rank != source) {
                all.get(rank).copy(at, all.get(source), at, count);
            }
        }
    }

    private void together(Tensor values, java.util.function.Consumer<List<NativeMemory>> work) {
        int self = group.rank();
        room.elements().set(self, NativeMemory.of(values));
        long number = room.advance(self, Step.READY);
        awaitAll(Step.READY, number);
        room.work(
                () -> {
                    List<NativeMemory> all = new ArrayList<>();
                    for (int rank = 0; rank < group.size(); rank++) {
                        all.add(room.elements().get(rank));
                    }
                    work.accept(all);
                },
                this::checkOthers);
        room.advance(self, Step.DONE);
        awaitAll(Step.DONE, number);
    }

    /** Every member holds on to the memory of all, so it does not matter who lets go first. */
    @Override
    public Optional<SharedVectors> share(DType type, long elements) {
        int self = group.rank();
        List<Tensor> all = new ArrayList<>();
        try (Scope scope = Scope.open()) {
            room.vectors().set(self, Tensor.zeros(Shape.of(elements), type));
            long number = room.advance(self, Step.READY);
            awaitAll(Step.READY, number);
            for (int rank = 0; rank < group.size(); rank++) {
                all.add(room.vectors().get(rank).narrow(0, 0, elements).retain());
            }
            room.advance(self, Step.DONE);
            awaitAll(Step.DONE, number);
            return Optional.of(new RoomVectors(all));
        } catch (RuntimeException e) {
            all.forEach(Tensor::close);
            throw e;
        } finally {
            room.vectors().set(self, null);
        }
    }

    private final class RoomVectors implements SharedVectors {
        private final List<Tensor> all;

        RoomVectors(List<Tensor> all) {
            this.all = all;
        }

        @Override
        public List<Tensor> all() {
            return all;
        }

        @Override
        public TrafficMeter meter() {
            return meter;
        }

        @Override
        public long said(Stage stage) {
            return room.get(group.rank(), step(stage));
        }

        @Override
        public void say(Stage stage, long rounds) {
            room.advance(group.rank(), step(stage));
        }

        @Override
        public void awaitAll(Stage stage, long rounds, String about) {
            purpose = about;
            MemoryTransport.this.awaitAll(step(stage), rounds);
        }

        private static Step step(Stage stage) {
            return stage == Stage.PREPARED ? Step.PREPARED : Step.RELEASED;
        }

        @Override
        public void close() {}
    }

    @Override
    public CollectiveCall answer(CollectiveCall mine, int peer, String about) {
        purpose = about;
        int self = group.rank();
        if (mine.operation() == CollectiveOperation.SEND) {
            room.offers().set(self, mine);
            long number = room.advance(self, Step.OFFERED);
            BooleanSupplier answered = () -> room.get(self, Step.ANSWERED) >= number;
            await(peer, answered, () -> checkNotStuck(mine, peer, answered));
            return room.answers().get(self);
        }
        room.wanted().set(self, mine);
        room.wake();
        await(peer, () -> isOffering(peer), () -> checkNotStuck(mine, peer, () -> isOffering(peer)));
        room.wanted().set(self, null);
        room.answers().set(peer, mine);
        CollectiveCall theirs = room.offers().get(peer);
        room.advance(peer, Step.ANSWERED);
        return theirs;
    }

    private boolean isOffering(int peer) {
        CollectiveCall offer = room.offers().get(peer);
        return room.get(peer, Step.OFFERED) > room.get(peer, Step.ANSWERED)
                && offer != null
                && offer.peer() == group.rank();
    }

    /** Whether the other one waits for this member in a call that does not fit: it would be for ever. */
    private void checkNotStuck(CollectiveCall mine, int peer, BooleanSupplier done) {
        long number = room.get(peer, Step.CALLED);
        CollectiveCall theirs = null;
        if (number > room.get(group.rank(), Step.CALLED)) {
            theirs = room.call(peer, number);
        } else if (mine.operation() == CollectiveOperation.RECEIVE) {
            theirs = room.wanted().get(peer);
        } else if (isOffering(peer)) {
            theirs = room.offers().get(peer);
        }
        boolean forMe =
                theirs != null && (theirs.peer() == group.rank() || theirs.operation() != CollectiveOperation.RECEIVE);
        if (forMe && !done.getAsBoolean()) { // looked at last: a member that has answered may be far ahead by now
            agreement.checkPair(mine, theirs, peer);
        }
    }

    @Override
    public void send(Tensor values, int to) {
        int self = group.rank();
        room.mail().set(self, NativeMemory.of(values));
        long fetched = room.get(self, Step.FETCHED);
        room.offers().set(self, null);
        room.wake();
        await(to, () -> room.get(self, Step.FETCHED) > fetched, () -> {});
        meter.add(bytes(values), 0);
    }

    @Override
    public void receive(Tensor values, int from) {
        await(from, () -> room.offers().get(from) == null, () -> {});
        NativeMemory target = NativeMemory.of(values);
        room.work(() -> target.copy(0, room.mail().get(from), 0, bytes(values)), this::checkOthers);
        room.advance(from, Step.FETCHED);
        meter.add(0, bytes(values));
    }

    private static long bytes(Tensor values) {
        return values.size() * values.type().bytes();
    }

    private void awaitAll(Step step, long value) {
        for (int rank = 0; rank < group.size(); rank++) {
            int other = rank;
            if (room.get(other, step) < value) {
                await(other, () -> room.get(other, step) >= value, () -> {});
            }
        }
    }

    private void await(int rank, BooleanSupplier done, Runnable look) {
        room.await(
                done,
                patience,
                () -> {
                    checkOthers(rank);
                    look.run();
                },
                () -> lost(rank, "did not take part in " + purpose + " within " + patience.inWords() + lastCall(rank)));
    }

    private void checkOthers() {
        patience.check();
        checkOthers(-1);
    }

    /** Throws what another member has failed with; that one has closed in good order matters only if it is waited for. */
    private void checkOthers(int waitedFor) {
        for (int rank = 0; rank < group.size(); rank++) {
            RuntimeException reason = room.left(rank);
            if (reason instanceof MismatchedCallException mismatch) {
                throw mismatch;
            }
            if (reason instanceof MemberLostException lost) {
                throw new MemberLostException(
                        lost.members(),
                        lost.getMessage() + " (said by " + group.members().get(rank) + ")",
                        lost);
            }
            if (reason != null && (rank == waitedFor || waitedFor < 0)) {
                throw lost(rank, "has left the group" + lastCall(rank));
            }
        }
    }

    private MemberLostException lost(int rank, String what) {
        String id = group.members().get(rank).id();
        return new MemberLostException(List.of(id), id + " " + what);
    }

    private String lastCall(int rank) {
        long number = room.get(rank, Step.CALLED);
        return number == 0
                ? "; it has made no call yet"
                : "; its last call: " + room.call(rank, number).describe(group);
    }

    @Override
    public Traffic traffic() {
        return meter.traffic();
    }

    @Override
    public void tell(RuntimeException failure) {
        leave(failure);
    }

    @Override
    public void wake() {
        room.wake();
    }

    @Override
    public void close() {
        leave(new IllegalStateException("closed"));
    }

    private void leave(RuntimeException reason) {
        if (!gone) {
            gone = true;
            room.leave(group.rank(), reason);
            room.elements().set(group.rank(), null);
            room.mail().set(group.rank(), null);
        }
    }
}
