package dev.tutti.comm;

import dev.tutti.tensor.Tensor;

/** Sums over one member: nothing to do. */
final class AloneCollectives implements Collectives {
    private final Group group;

    AloneCollectives(Group group) {
        this.group = group;
    }

    @Override
    public Group group() {
        return group;
    }

    @Override
    public void allReduce(String what, Tensor values) {}

    @Override
    public void reduceScatter(String what, Tensor values) {}

    @Override
    public void allGather(String what, Tensor values) {}

    @Override
    public void broadcast(String what, Tensor values, int root) {}

    @Override
    public void send(String what, Tensor values, int to) {
        throw new IllegalArgumentException("there is nobody to send '" + what + "' to: the group has one member");
    }

    @Override
    public void receive(String what, Tensor values, int from) {
        throw new IllegalArgumentException("there is nobody to receive '" + what + "' from: the group has one member");
    }

    @Override
    public void barrier(String what) {}

    @Override
    public void join() {}

    @Override
    public Traffic traffic() {
        return Traffic.NONE;
    }

    @Override
    public void abort(MemberLostException reason) {}

    @Override
    public void close() {}
}
