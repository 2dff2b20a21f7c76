package dev.tutti.strategy;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Report;
import dev.tutti.comm.Team;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** Members on threads of one JVM that lay arrays side by side and wait for each other: the plain twin of real collectives. */
public final class BarrierTeam implements Team, Collectives {
    private static final long SECONDS = 30;

    private final Group group;
    private final Table table;
    private final String lostAt;
    private long sent;

    private record Table(NdArray[] places, CyclicBarrier barrier, Map<List<Integer>, BlockingQueue<NdArray>> letters) {
        BlockingQueue<NdArray> mail(int from, int to) {
            return letters.computeIfAbsent(List.of(from, to), way -> new LinkedBlockingQueue<>());
        }
    }

    private BarrierTeam(Group group, Table table, String lostAt) {
        this.group = group;
        this.table = table;
        this.lostAt = lostAt;
    }

    public static List<Team> of(int members) {
        return of(members, "");
    }

    /** The last one is lost in the call of this name. */
    public static List<Team> of(int members, String lostAt) {
        List<Member> all = IntStream.range(0, members)
                .mapToObj(rank -> new Member("worker-" + rank, "here"))
                .toList();
        Table table = new Table(new NdArray[members], new CyclicBarrier(members), new ConcurrentHashMap<>());
        return IntStream.range(0, members)
                .<Team>mapToObj(rank -> new BarrierTeam(new Group(1, rank, all), table, lostAt))
                .toList();
    }

    @Override
    public void allReduce(String what, Tensor values) {
        exchange(what, values, -1);
    }

    @Override
    public void broadcast(String what, Tensor values, int root) {
        exchange(what, values, root);
    }

    /** The sum of all places in their order, or what lies at one of them. */
    private void exchange(String what, Tensor values, int from) {
        if (what.equals(lostAt) && group.rank() == group.size() - 1) {
            table.barrier.reset();
            throw lost(what);
        }
        table.places[group.rank()] = values.toArray();
        await(what);
        NdArray outcome = from >= 0 ? table.places[from] : sum();
        await(what);
        values.write(outcome);
        sent += values.size();
    }

    private NdArray sum() {
        NdArray first = table.places[0];
        NdArray sum = NdArray.zeros(first.type(), first.shape());
        for (NdArray each : table.places) {
            for (int i = 0; i < sum.size(); i++) {
                switch (sum.type()) {
                    case FLOAT32 -> sum.floats()[i] += each.floats()[i];
                    case FLOAT64 -> sum.doubles()[i] += each.doubles()[i];
                    default -> sum.longs()[i] += each.longs()[i];
                }
            }
        }
        return sum;
    }

    private void await(String what) {
        try {
            table.barrier.await(SECONDS, TimeUnit.SECONDS);
        } catch (BrokenBarrierException | TimeoutException e) {
            throw lost(what);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw lost(what);
        }
    }

    private MemberLostException lost(String what) {
        return new MemberLostException(List.of("worker-" + (group.size() - 1)), "somebody was lost in '" + what + "'");
    }

    @Override
    public void send(String what, Tensor values, int to) {
        table.mail(group.rank(), to).add(values.toArray());
        sent += values.size();
    }

    @Override
    public void receive(String what, Tensor values, int from) {
        try {
            NdArray letter = table.mail(from, group.rank()).poll(SECONDS, TimeUnit.SECONDS);
            if (letter == null) {
                throw lost(what);
            }
            values.write(letter);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw lost(what);
        }
    }

    @Override
    public void barrier(String what) {
        await(what);
    }

    @Override
    public Traffic traffic() {
        return new Traffic(sent, sent);
    }

    @Override
    public Meeting meet(long progress) {
        return new Meeting(group, 0, false);
    }

    @Override
    public Group group() {
        return group;
    }

    @Override
    public Collectives collectives() {
        return this;
    }

    @Override
    public void check() {}

    @Override
    public int threads() {
        return 1;
    }

    @Override
    public void report(Report report) {}

    @Override
    public Leases leases() {
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
    public void join() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void abort(MemberLostException reason) {
        table.barrier.reset();
    }

    @Override
    public void close() {}
}
