package dev.tutti.cluster;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** Barriers between threads of one JVM, made through the bulletin board as real ones are; nothing else. */
final class TestingCollectives implements Collectives {
    private final Group group;
    private final Place place;
    private final long timeout;
    private MemberLostException aborted;

    /** Where the members of a generation come together. */
    private static final class Place {
        private final Map<String, Set<Integer>> arrived = new ConcurrentHashMap<>();
    }

    /** Makes collectives for members that share it. */
    static final class Factory implements CollectivesFactory {
        private final Map<String, Place> places = new ConcurrentHashMap<>();
        private volatile long timeout;

        Factory timeout(long millis) {
            timeout = millis;
            return this;
        }

        @Override
        public Collectives open(Group group, BulletinBoard board, Duration limit) {
            board.post("address-" + group.rank(), "rank " + group.rank());
            for (int rank = 0; rank < group.size(); rank++) {
                if (!board.read("address-" + rank).equals("rank " + rank)) {
                    throw new IllegalStateException("a note of another");
                }
            }
            Place place = places.computeIfAbsent("generation " + group.generation(), key -> new Place());
            return new TestingCollectives(group, place, timeout == 0 ? limit.toMillis() : timeout);
        }
    }

    private TestingCollectives(Group group, Place place, long timeout) {
        this.group = group;
        this.place = place;
        this.timeout = timeout;
    }

    @Override
    public Group group() {
        return group;
    }

    @Override
    public void barrier(String what) {
        synchronized (place) {
            Set<Integer> there = place.arrived.computeIfAbsent(what, key -> new TreeSet<>());
            there.add(group.rank());
            place.notifyAll();
            long until = System.nanoTime() + timeout * 1_000_000;
            while (there.size() < group.size()) {
                if (aborted != null) {
                    throw aborted;
                }
                long left = (until - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    List<String> missing = new ArrayList<>();
                    for (int rank = 0; rank < group.size(); rank++) {
                        if (!there.contains(rank)) {
                            missing.add(group.members().get(rank).id());
                        }
                    }
                    throw new MemberLostException(missing, what + ": " + missing + " did not come in time");
                }
                try {
                    place.wait(left);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    @Override
    public void abort(MemberLostException reason) {
        synchronized (place) {
            aborted = aborted == null ? reason : aborted;
            place.notifyAll();
        }
    }

    @Override
    public void close() {}

    @Override
    public void allReduce(String what, Tensor values) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void reduceScatter(String what, Tensor values) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void allGather(String what, Tensor values) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void broadcast(String what, Tensor values, int root) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void send(String what, Tensor values, int to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void receive(String what, Tensor values, int from) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void join() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Traffic traffic() {
        return Traffic.NONE;
    }
}
