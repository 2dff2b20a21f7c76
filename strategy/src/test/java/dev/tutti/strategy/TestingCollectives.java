package dev.tutti.strategy;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.MismatchedCallException;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** Collectives of threads of one JVM, plain and slow: everybody lays down an array, everybody reads all of them. */
final class TestingCollectives implements Collectives {
    private final Group group;
    private final Table table;
    private final TestingCluster.Hook hook;
    private long bytes;

    TestingCollectives(Group group, Table table, TestingCluster.Hook hook) {
        this.group = group;
        this.table = table;
        this.hook = hook;
    }

    /** Where the members of one generation lay down what they have. */
    static final class Table {
        private final int members;
        private final Duration patience;
        private List<NdArray> laid = new ArrayList<>();
        private List<NdArray> complete;
        private String what;
        private int laidDown;
        private int read;
        private MemberLostException failure;

        Table(int members, Duration patience) {
            this.members = members;
            this.patience = patience;
            clear();
        }

        private void clear() {
            laid = new ArrayList<>();
            for (int i = 0; i < members; i++) {
                laid.add(null);
            }
            laidDown = 0;
        }

        synchronized List<NdArray> exchange(int rank, String name, NdArray array) {
            long until = System.nanoTime() + patience.toNanos();
            await(() -> complete == null, until, name);
            if (laidDown > 0 && !name.equals(what)) {
                throw new MismatchedCallException("rank " + rank + " called for " + name + ", others for " + what);
            }
            what = name;
            laid.set(rank, array);
            laidDown++;
            if (laidDown == members) {
                complete = laid;
                clear();
                notifyAll();
            }
            await(() -> complete != null, until, name);
            List<NdArray> all = complete;
            read++;
            if (read == members) {
                complete = null;
                read = 0;
                notifyAll();
            }
            return all;
        }

        private void await(java.util.function.BooleanSupplier ready, long until, String name) {
            while (!ready.getAsBoolean()) {
                if (failure != null) {
                    throw new MemberLostException(failure.members(), failure.getMessage());
                }
                long left = (until - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new MemberLostException(List.of(), "nobody came to " + name);
                }
                try {
                    wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new MemberLostException(List.of(), "interrupted");
                }
            }
        }

        synchronized void abort(MemberLostException reason) {
            failure = failure == null ? reason : failure;
            notifyAll();
        }
    }

    @Override
    public Group group() {
        return group;
    }

    private void together(String what, Tensor values, BiFunction<List<NdArray>, Integer, Double> rule, double parts) {
        hook.at(group.self().id(), "before " + what);
        NdArray mine = values.toArray();
        List<NdArray> all = table.exchange(group.rank(), what, mine);
        NdArray result = NdArray.zeros(mine.type(), mine.shape());
        for (int i = 0; i < mine.size(); i++) {
            set(result, i, rule.apply(all, i));
        }
        values.write(result);
        bytes += Math.round(parts * mine.size() * mine.type().bytes());
        hook.at(group.self().id(), "after " + what);
    }

    private static void set(NdArray array, int at, double value) {
        switch (array.type()) {
            case FLOAT32 -> array.floats()[at] = (float) value;
            case FLOAT64 -> array.doubles()[at] = value;
            case INT64 -> array.longs()[at] = (long) value;
            case UINT8 -> array.bytes()[at] = (byte) (long) value;
            default -> throw new IllegalArgumentException(array.toString());
        }
    }

    @Override
    public void allReduce(String what, Tensor values) {
        together(
                what,
                values,
                (all, i) -> all.stream().mapToDouble(array -> array.at(i)).sum(),
                2.0 * (group.size() - 1) / group.size());
    }

    @Override
    public void broadcast(String what, Tensor values, int root) {
        together(what, values, (all, i) -> all.get(root).at(i), 1);
    }

    @Override
    public void barrier(String what) {
        table.exchange(group.rank(), what, NdArray.of(new long[0], 0));
    }

    @Override
    public Traffic traffic() {
        return new Traffic(bytes, bytes);
    }

    @Override
    public void abort(MemberLostException reason) {
        table.abort(reason);
    }

    @Override
    public void reduceScatter(String what, Tensor values) {
        throw new UnsupportedOperationException(what);
    }

    @Override
    public void allGather(String what, Tensor values) {
        throw new UnsupportedOperationException(what);
    }

    @Override
    public void send(String what, Tensor values, int to) {
        throw new UnsupportedOperationException(what);
    }

    @Override
    public void receive(String what, Tensor values, int from) {
        throw new UnsupportedOperationException(what);
    }

    @Override
    public void join() {
        throw new UnsupportedOperationException("join");
    }

    @Override
    public void close() {}
}
