package dev.tutti.train.replica;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Members agree in lockstep: every question is a call to the collectives of the present group. */
final class CollectiveAgreement implements Agreement {
    private final Supplier<Collectives> present;

    CollectiveAgreement(Supplier<Collectives> present) {
        this.present = present;
    }

    private Collectives collectives() {
        return present.get();
    }

    private Group group() {
        return collectives().group();
    }

    private ObjectCollectives gathering() {
        return new ObjectCollectives(collectives());
    }

    @Override
    public boolean isSelf(int rank) {
        return group().rank() == rank;
    }

    @Override
    public int members() {
        return group().size();
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
        Group group = group();
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
    public List<String> texts(String what, String mine) {
        return numbers(what, PackedText.pack(mine)).stream()
                .map(PackedText::unpack)
                .toList();
    }

    @Override
    public void broadcast(String what, Tensor values, int source) {
        TensorPieces.of(what, values)
                .forEach(!isSelf(source), (name, piece) -> collectives().broadcast(name, piece, source));
    }

    @Override
    public void transfer(String what, Tensor values, int from, int to) {
        if (isSelf(from)) {
            TensorPieces.of(what, values)
                    .forEach(false, (name, piece) -> collectives().send(name, piece, to));
        } else {
            TensorPieces.of(what, values)
                    .forEach(true, (name, piece) -> collectives().receive(name, piece, from));
        }
    }

    @Override
    public void barrier(String what) {
        collectives().barrier(what);
    }
}
