package dev.tutti.comm;

import dev.tutti.comm.transport.AgreedCollectives;
import dev.tutti.tensor.Tensor;
import java.util.concurrent.atomic.AtomicReference;

/** Sums over one member: nothing to do. */
public final class SingleMemberCollectives implements Collectives {
    private final Group group;
    private final AtomicReference<RuntimeException> end = new AtomicReference<>();

    public SingleMemberCollectives(Group group) {
        this.group = group;
    }

    @Override
    public Group group() {
        return group;
    }

    @Override
    public void allReduce(String what, Tensor values) {
        check(what, values);
    }

    @Override
    public void reduceScatter(String what, Tensor values) {
        check(what, values);
    }

    @Override
    public void allGather(String what, Tensor values) {
        check(what, values);
    }

    @Override
    public void broadcast(String what, Tensor values, int root) {
        if (root != 0) {
            throw new IllegalArgumentException("rank " + root + " is not one of 1 members");
        }
        check(what, values);
    }

    @Override
    public void send(String what, Tensor values, int to) {
        throw new IllegalArgumentException("there is no member to send '" + what + "' to: the group has one member");
    }

    @Override
    public void receive(String what, Tensor values, int from) {
        throw new IllegalArgumentException(
                "there is no member to receive '" + what + "' from: the group has one member");
    }

    @Override
    public void barrier(String what) {
        checkOpen();
    }

    @Override
    public void join() {
        checkOpen();
    }

    private void check(String what, Tensor values) {
        AgreedCollectives.checkTensor(what, values);
        checkOpen();
    }

    private void checkOpen() {
        RuntimeException reason = end.get();
        if (reason != null) {
            throw reason;
        }
    }

    @Override
    public Traffic traffic() {
        return Traffic.NONE;
    }

    @Override
    public void abort(MemberLostException reason) {
        end.compareAndSet(null, reason);
    }

    @Override
    public void close() {
        end.set(new IllegalStateException("the collectives of generation " + group.generation() + " are closed"));
    }
}
