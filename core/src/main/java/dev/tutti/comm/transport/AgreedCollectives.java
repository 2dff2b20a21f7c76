package dev.tutti.comm.transport;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.MismatchedCallException;
import dev.tutti.comm.SharedVectorSum;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Collectives over any {@link Transport}: members first tell each other what they call for, and do it if that fits.
 *
 * <p>Here is what all transports have in common: checks, named mismatches, members that have joined, failures and their end.
 */
public final class AgreedCollectives implements Collectives {
    private final Group group;
    private final Transport transport;
    private final CallDeadline patience;
    private final CallAgreement agreement;
    private final Object callUnderWay = new Object();
    private volatile boolean closed;
    private Tensor nothing;

    public AgreedCollectives(Group group, Transport transport, CallDeadline patience) {
        this.group = group;
        this.transport = transport;
        this.patience = patience;
        this.agreement = new CallAgreement(group);
    }

    @Override
    public Group group() {
        return group;
    }

    @Override
    public void allReduce(String what, Tensor values) {
        together(CollectiveOperation.ALL_REDUCE, what, values, -1, transport::allReduce);
    }

    @Override
    public void reduceScatter(String what, Tensor values) {
        together(CollectiveOperation.REDUCE_SCATTER, what, values, -1, transport::reduceScatter);
    }

    @Override
    public void allGather(String what, Tensor values) {
        together(CollectiveOperation.ALL_GATHER, what, values, -1, transport::allGather);
    }

    @Override
    public void broadcast(String what, Tensor values, int root) {
        checkRank(root);
        together(CollectiveOperation.BROADCAST, what, values, root, flat -> transport.broadcast(flat, root));
    }

    @Override
    public void send(String what, Tensor values, int to) {
        between(CollectiveOperation.SEND, what, values, to, flat -> transport.send(flat, to));
    }

    @Override
    public void receive(String what, Tensor values, int from) {
        between(CollectiveOperation.RECEIVE, what, values, from, flat -> transport.receive(flat, from));
    }

    @Override
    public void barrier(String what) {
        run(() -> agree(CollectiveCall.without(CollectiveOperation.BARRIER, what)));
    }

    @Override
    public void join() {
        CollectiveCall mine = CollectiveCall.without(CollectiveOperation.JOIN, "");
        while (run(() -> follow(mine))) {
            // the others still have something to sum
        }
    }

    @Override
    public Optional<SharedVectorSum> summands(String what, DType type, long elements) {
        return run(() -> {
            agree(new CollectiveCall(CollectiveOperation.SUMMANDS, what, type, elements, -1));
            Optional<SharedVectors> vectors = elements == 0 ? Optional.empty() : transport.share(type, elements);
            return vectors.map(all -> new ReadableVectorSum(what, group, all, this::await, this::tell));
        });
    }

    /** Once these are closed there is no memory left to say anything in. */
    private void tell(Runnable others) {
        synchronized (callUnderWay) {
            if (!closed) {
                others.run();
            }
        }
    }

    private void await(Runnable others) {
        run(() -> {
            others.run();
            return null;
        });
    }

    private CollectiveCall agree(CollectiveCall mine) {
        return agreement.check(transport.agree(mine, mine.describe(group)));
    }

    /** Takes part in the next call of the others; false when there is none, since all have joined. */
    private boolean follow(CollectiveCall mine) {
        CollectiveCall theirs = agree(mine);
        if (theirs.operation() == CollectiveOperation.JOIN) {
            return false;
        }
        if (theirs.count() > 0) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                Tensor zeros = zeros(theirs);
                switch (theirs.operation()) {
                    case ALL_REDUCE -> transport.allReduce(zeros);
                    case REDUCE_SCATTER -> transport.reduceScatter(zeros);
                    case BROADCAST -> transport.broadcast(zeros, theirs.peer());
                    default -> {} // a barrier has no elements; the rest does not agree with a join
                }
            }
        }
        return true;
    }

    /** As many zeros as others want to sum; kept, since they will come with the same size again. */
    private Tensor zeros(CollectiveCall call) {
        if (nothing != null && (nothing.size() != call.count() || nothing.type() != call.type())) {
            nothing.close();
            nothing = null;
        }
        if (nothing == null) {
            nothing = Tensor.zeros(Shape.of(call.count()), call.type()).retain();
        }
        return nothing.zero_();
    }

    private void together(CollectiveOperation operation, String what, Tensor values, int root, Consumer<Tensor> work) {
        checkTensor(what, values);
        run(() -> {
            CollectiveCall mine = new CollectiveCall(operation, what, values.type(), values.size(), root);
            agree(mine);
            withFlat(values, work);
            return null;
        });
    }

    private void between(CollectiveOperation operation, String what, Tensor values, int peer, Consumer<Tensor> work) {
        checkRank(peer);
        if (peer == group.rank()) {
            throw new IllegalArgumentException(
                    operation + " '" + what + "': " + group.self() + " cannot be the other one itself");
        }
        checkTensor(what, values);
        run(() -> {
            CollectiveCall mine = new CollectiveCall(operation, what, values.type(), values.size(), peer);
            agreement.checkPair(mine, transport.answer(mine, peer, mine.describe(group)), peer);
            withFlat(values, work);
            return null;
        });
    }

    private static void withFlat(Tensor values, Consumer<Tensor> work) {
        if (values.size() == 0) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            work.accept(values.rank() == 1 ? values : values.view(-1));
        }
    }

    private <T> T run(java.util.function.Supplier<T> work) {
        synchronized (callUnderWay) {
            if (closed) {
                throw new IllegalStateException("the collectives of generation " + group.generation() + " are closed");
            }
            patience.check();
            patience.begin();
            try {
                return work.get();
            } catch (MemberLostException | MismatchedCallException e) {
                patience.fail(e);
                transport.tell(e);
                patience.check(); // an abort that came first is the reason that counts
                throw e;
            } catch (RuntimeException e) {
                patience.fail(e);
                transport.tell(new MemberLostException(
                        List.of(group.self().id()), group.self() + " failed: " + e.getMessage()));
                throw e;
            }
        }
    }

    private void checkRank(int rank) {
        if (rank < 0 || rank >= group.size()) {
            throw new IllegalArgumentException("rank " + rank + " is not one of " + group.size() + " members");
        }
    }

    public static void checkTensor(String what, Tensor values) {
        if (!values.device().equals(Device.CPU) || !values.isContiguous()) {
            throw new IllegalArgumentException("'" + what + "' must lie in one piece in the CPU's memory: " + values
                    + " does not; hand over contiguous() and copy the result back");
        }
    }

    @Override
    public Traffic traffic() {
        return transport.traffic();
    }

    @Override
    public void abort(MemberLostException reason) {
        patience.fail(reason);
        transport.wake();
    }

    @Override
    public void close() {
        patience.fail(new MemberLostException(
                List.of(), group.self() + " closed the collectives of generation " + group.generation()));
        transport.wake();
        synchronized (callUnderWay) { // memory is not let go while a call uses it
            if (closed) {
                return;
            }
            closed = true;
            transport.close();
            if (nothing != null) {
                nothing.close();
            }
        }
    }
}
