package dev.tutti.comm;

import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.Range;
import dev.tutti.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Members of several machines: those of one machine share memory, and one of each speaks with the other machines.
 *
 * <p>A sum is made on each machine, then between the machines, then given to all members of a machine: what travels between
 * machines does not depend on how many members each has. What goes from one member to one other on another machine takes a
 * connection of its own.
 */
final class HierarchicalMedium implements Medium {
    private final Hosts hosts;
    private final Medium local;
    private final GlooMedium wire;
    private final Medium direct;
    private final List<Medium> media = new ArrayList<>();
    private Traffic messages = Traffic.NONE;

    /**
     * @param local between the members of this machine; null for one that has no others there
     * @param wire between those who speak for their machines; null for the rest
     * @param direct between any two
     */
    HierarchicalMedium(Hosts hosts, Medium local, GlooMedium wire, Medium direct) {
        this.hosts = hosts;
        this.local = local;
        this.wire = wire;
        this.direct = direct;
        if (local != null) {
            media.add(local);
        }
        if (wire != null) {
            media.add(wire);
        }
        media.add(direct);
    }

    @Override
    public List<Call> agree(Call mine, String purpose) {
        List<Call> here = local == null ? List.of(mine) : local.agree(mine, purpose);
        byte[] all = new byte[hosts.group().size() * Call.BYTES];
        if (wire != null) {
            ByteBuffer calls = ByteBuffer.allocate(here.size() * Call.BYTES);
            for (int i = 0; i < here.size(); i++) {
                here.get(i).write(calls.position(i * Call.BYTES));
            }
            byte[][] byHost = wire.exchange(calls.array(), purpose);
            for (int host = 0; host < byHost.length; host++) {
                List<Integer> ranks = hosts.ranks(host);
                for (int i = 0; i < ranks.size(); i++) {
                    System.arraycopy(byHost[host], i * Call.BYTES, all, ranks.get(i) * Call.BYTES, Call.BYTES);
                }
            }
        }
        if (local != null) {
            all = fromSpeaker(all);
        }
        List<Call> out = new ArrayList<>();
        for (int rank = 0; rank < hosts.group().size(); rank++) {
            out.add(Call.read(ByteBuffer.wrap(all, rank * Call.BYTES, Call.BYTES)));
        }
        return out;
    }

    /** Gives what members elsewhere called for to those of this machine. */
    private byte[] fromSpeaker(byte[] calls) {
        Traffic before = local.traffic();
        try (Tensor bytes = Tensor.of(NdArray.of(calls, calls.length))) {
            local.broadcast(bytes, 0);
            Traffic now = local.traffic().since(before);
            messages = new Traffic(messages.sent() + now.sent(), messages.received() + now.received());
            return Arrays.copyOf(bytes.toArray().bytes(), calls.length);
        }
    }

    @Override
    public Call answer(Call mine, int peer, String purpose) {
        return hosts.isHere(peer)
                ? local.answer(mine, hosts.place(peer), purpose)
                : direct.answer(mine, peer, purpose);
    }

    @Override
    public void allReduce(Tensor values) {
        if (local != null) {
            local.allReduce(values);
        }
        if (wire != null) {
            wire.allReduce(values);
        }
        if (local != null) {
            local.broadcast(values, 0);
        }
    }

    /** The sum comes to every machine as a whole, so there is nothing to be saved by leaving parts out. */
    @Override
    public void reduceScatter(Tensor values) {
        allReduce(values);
    }

    @Override
    public void allGather(Tensor values) {
        for (int rank = 0; rank < hosts.group().size(); rank++) {
            Range part = hosts.group().part(values.size(), rank);
            if (!part.isEmpty()) {
                broadcast(values.narrow(0, part.from(), part.length()), rank);
            }
        }
    }

    @Override
    public void broadcast(Tensor values, int root) {
        if (local != null && hosts.isHere(root)) {
            local.broadcast(values, hosts.place(root));
        }
        if (wire != null) {
            wire.broadcast(values, hosts.hostOf(root));
        }
        if (local != null && !hosts.isHere(root)) {
            local.broadcast(values, 0);
        }
    }

    @Override
    public void send(Tensor values, int to) {
        if (hosts.isHere(to)) {
            local.send(values, hosts.place(to));
        } else {
            direct.send(values, to);
        }
    }

    @Override
    public void receive(Tensor values, int from) {
        if (hosts.isHere(from)) {
            local.receive(values, hosts.place(from));
        } else {
            direct.receive(values, from);
        }
    }

    @Override
    public Traffic traffic() {
        long sent = 0;
        long received = 0;
        for (Medium medium : media) {
            sent += medium.traffic().sent();
            received += medium.traffic().received();
        }
        return new Traffic(sent, received).since(messages);
    }

    @Override
    public void tell(RuntimeException failure) {
        media.forEach(medium -> medium.tell(failure));
    }

    @Override
    public void wake() {
        media.forEach(Medium::wake);
    }

    @Override
    public void close() {
        media.forEach(Medium::close);
    }
}
