package dev.tutti.train.replica;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.checkpoint.Checkpoint;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Members agree in lockstep: every question is a call to the collectives of the present group. */
final class CollectiveAgreement implements Agreement {
    private final Team team;

    CollectiveAgreement(Team team) {
        this.team = team;
    }

    private Collectives collectives() {
        return team.collectives();
    }

    private ObjectCollectives gathering() {
        return new ObjectCollectives(collectives());
    }

    private boolean isSelf(int rank) {
        return team.group().rank() == rank;
    }

    @Override
    public int members() {
        return team.group().size();
    }

    @Override
    public boolean[] any(String what, boolean... mine) {
        double[] votes = new double[mine.length];
        for (int i = 0; i < mine.length; i++) {
            votes[i] = mine[i] ? 1 : 0;
        }
        double[] sums = collectives().sum(what, votes);
        boolean[] any = new boolean[mine.length];
        for (int i = 0; i < mine.length; i++) {
            any[i] = sums[i] > 0;
        }
        return any;
    }

    @Override
    public String text(String what, Supplier<String> own, int source) {
        return gathering().text(what, isSelf(source) ? own.get() : null, source);
    }

    @Override
    public double[][] rows(String what, double... mine) {
        return collectives().gather(what, mine);
    }

    @Override
    public List<long[]> numbers(String what, long[] mine) {
        return gathering().numbers(what, mine);
    }

    @Override
    public List<Map<String, NdArray>> arrays(String what, Map<String, NdArray> mine) {
        return gathering().all(what, mine);
    }

    @Override
    public Map<Integer, long[]> collect(String what, long[] mine, int[] lengths) {
        Group group = team.group();
        Map<Integer, long[]> collected = new TreeMap<>();
        for (int rank = 1; rank < group.size(); rank++) {
            if (lengths[rank] > 0 && group.isChief()) {
                collected.put(rank, received(what, lengths[rank], rank));
            } else if (lengths[rank] > 0 && isSelf(rank)) {
                send(what, mine);
            }
        }
        return collected;
    }

    private void send(String what, long[] numbers) {
        try (Scope scope = Scope.open()) {
            collectives().send(what, Tensor.of(numbers, numbers.length), 0);
        }
    }

    private long[] received(String what, int length, int from) {
        try (Scope scope = Scope.open()) {
            Tensor numbers = Tensor.zeros(Shape.of(length), DType.INT64);
            collectives().receive(what, numbers, from);
            return numbers.toArray().longs();
        }
    }

    @Override
    public Checkpoint handOver(Supplier<Checkpoint> own, int source) {
        return gathering().handOver(isSelf(source) ? own.get() : null, source);
    }

    @Override
    public void barrier(String what) {
        collectives().barrier(what);
    }
}
