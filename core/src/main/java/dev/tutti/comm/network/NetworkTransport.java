package dev.tutti.comm.network;

import dev.tutti.comm.Group;
import dev.tutti.comm.Traffic;
import dev.tutti.comm.transport.CollectiveCall;
import dev.tutti.comm.transport.TrafficMeter;
import dev.tutti.comm.transport.Transport;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorLinks.Transfer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Members on different machines, or at least in different JVMs, connected over TCP. */
final class NetworkTransport implements Transport {
    private static final long PIECE_BYTES = 1 << 20;

    private final Group group;
    private final NetworkWire wire;
    private final TrafficMeter meter = new TrafficMeter();
    private String purpose = "";

    NetworkTransport(Group group, NetworkWire wire) {
        this.group = group;
        this.wire = wire;
    }

    @Override
    public List<CollectiveCall> agree(CollectiveCall mine, String about) {
        purpose = about;
        List<CollectiveCall> all = new ArrayList<>();
        for (byte[] bytes : wire.exchange(bytes(mine), purpose)) {
            all.add(CollectiveCall.read(ByteBuffer.wrap(bytes)));
        }
        return all;
    }

    /** Says what the next elements are for, where calls are compared elsewhere. */
    void about(String what) {
        purpose = what;
    }

    @Override
    public CollectiveCall answer(CollectiveCall mine, int peer, String about) {
        purpose = about;
        return CollectiveCall.read(ByteBuffer.wrap(wire.exchange(bytes(mine), peer, purpose)));
    }

    static byte[] bytes(CollectiveCall call) {
        byte[] bytes = new byte[CollectiveCall.BYTES];
        call.write(ByteBuffer.wrap(bytes));
        return bytes;
    }

    @Override
    public void allReduce(Tensor values) {
        new NetworkRing(group, wire, meter, purpose, values, true, true).run();
    }

    @Override
    public void reduceScatter(Tensor values) {
        new NetworkRing(group, wire, meter, purpose, values, true, false).run();
    }

    @Override
    public void allGather(Tensor values) {
        new NetworkRing(group, wire, meter, purpose, values, false, true).run();
    }

    /** Along a chain that begins at the root, in pieces that are sent on as soon as they are there. */
    @Override
    public void broadcast(Tensor values, int root) {
        boolean first = group.rank() == root;
        int next = (group.rank() + 1) % group.size();
        int previous = (group.rank() + group.size() - 1) % group.size();
        List<Tensor> pieces = pieces(values);
        List<Transfer> receiving = new ArrayList<>();
        if (!first) {
            pieces.forEach(piece -> receiving.add(wire.receive(piece, previous, purpose)));
            meter.add(0, values.size() * values.type().bytes());
        }
        List<Transfer> sending = new ArrayList<>();
        for (int i = 0; i < pieces.size(); i++) {
            if (!first) {
                wire.await(receiving.get(i), previous, purpose);
            }
            if (next != root) {
                sending.add(wire.send(pieces.get(i), next, purpose));
            }
        }
        if (next != root) {
            meter.add(values.size() * values.type().bytes(), 0);
        }
        sending.forEach(transfer -> wire.await(transfer, next, purpose));
    }

    private static List<Tensor> pieces(Tensor values) {
        long most = PIECE_BYTES / values.type().bytes();
        List<Tensor> pieces = new ArrayList<>();
        for (long from = 0; from < values.size(); from += most) {
            pieces.add(values.narrow(0, from, Math.min(most, values.size() - from)));
        }
        return pieces;
    }

    @Override
    public void send(Tensor values, int to) {
        wire.await(wire.send(values, to, purpose), to, purpose);
        meter.add(values.size() * values.type().bytes(), 0);
    }

    @Override
    public void receive(Tensor values, int from) {
        wire.await(wire.receive(values, from, purpose), from, purpose);
        meter.add(0, values.size() * values.type().bytes());
    }

    @Override
    public Traffic traffic() {
        return meter.traffic();
    }

    @Override
    public void tell(RuntimeException failure) {
        wire.tell(failure);
    }

    @Override
    public void wake() {
        wire.wake();
    }

    @Override
    public void close() {
        wire.close();
    }
}
