package dev.tutti.cluster;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.SharedVectorSum;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Passes every call on, and takes note of members that were waited for in vain, to name them at the next meeting. */
final class GuardedCollectives implements Collectives {
    private final Collectives inner;
    private final Consumer<MemberLostException> accuse;
    private final Optional<SubGroupCollectives> parts;

    GuardedCollectives(Collectives inner, Consumer<MemberLostException> accuse) {
        this(inner, accuse, Optional.empty());
    }

    /** @param parts collectives of sub-groups that end with these */
    GuardedCollectives(Collectives inner, Consumer<MemberLostException> accuse, Optional<SubGroupCollectives> parts) {
        this.inner = inner;
        this.accuse = accuse;
        this.parts = parts;
    }

    private void guard(Runnable call) {
        guarded(() -> {
            call.run();
            return null;
        });
    }

    private <T> T guarded(Supplier<T> call) {
        try {
            return call.get();
        } catch (MemberLostException e) {
            accuse.accept(e);
            throw e;
        }
    }

    @Override
    public Group group() {
        return inner.group();
    }

    @Override
    public void allReduce(String what, Tensor values) {
        guard(() -> inner.allReduce(what, values));
    }

    @Override
    public void reduceScatter(String what, Tensor values) {
        guard(() -> inner.reduceScatter(what, values));
    }

    @Override
    public void allGather(String what, Tensor values) {
        guard(() -> inner.allGather(what, values));
    }

    @Override
    public void broadcast(String what, Tensor values, int root) {
        guard(() -> inner.broadcast(what, values, root));
    }

    @Override
    public void send(String what, Tensor values, int to) {
        guard(() -> inner.send(what, values, to));
    }

    @Override
    public void receive(String what, Tensor values, int from) {
        guard(() -> inner.receive(what, values, from));
    }

    @Override
    public void barrier(String what) {
        guard(() -> inner.barrier(what));
    }

    @Override
    public void join() {
        guard(inner::join);
    }

    @Override
    public Optional<SharedVectorSum> summands(String what, DType type, long elements) {
        return guarded(() -> inner.summands(what, type, elements)).map(GuardedSummands::new);
    }

    @Override
    public Traffic traffic() {
        return inner.traffic();
    }

    @Override
    public void abort(MemberLostException reason) {
        inner.abort(reason);
        parts.ifPresent(all -> all.abort(reason));
    }

    @Override
    public void close() {
        parts.ifPresent(SubGroupCollectives::close);
        inner.close();
    }

    /** The same for what waits while vectors are summed. */
    private final class GuardedSummands implements SharedVectorSum {
        private final SharedVectorSum vectors;

        GuardedSummands(SharedVectorSum vectors) {
            this.vectors = vectors;
        }

        @Override
        public Tensor own() {
            return vectors.own();
        }

        @Override
        public void awaitReaders() {
            guard(vectors::awaitReaders);
        }

        @Override
        public void prepare(List<Range> wanted) {
            guard(() -> vectors.prepare(wanted));
        }

        @Override
        public void sum(Range range, Tensor into) {
            vectors.sum(range, into);
        }

        @Override
        public void release() {
            vectors.release();
        }

        @Override
        public void close() {
            vectors.close();
        }
    }
}
