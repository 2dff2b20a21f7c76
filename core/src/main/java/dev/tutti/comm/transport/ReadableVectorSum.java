package dev.tutti.comm.transport;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Group;
import dev.tutti.comm.SharedVectorSum;
import dev.tutti.comm.transport.SharedVectors.Stage;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Sums over vectors that lie in memory of which all members can read.
 *
 * <p>Two members read both vectors as they sum: each element of the other is read once. More of them divide the work first: each
 * sums its part and lays the result into its own vector, where the others read nothing but that. Either way 2(n-1)/n of
 * the vector come to each member, and sums are made in the order of ranks.
 */
final class ReadableVectorSum implements SharedVectorSum {
    private final String what;
    private final Group group;
    private final SharedVectors vectors;
    private final Consumer<Runnable> waiting;
    private final Consumer<Runnable> telling;
    private final long elements;
    private final Map<Stage, Long> before =
            new EnumMap<>(Stage.class); // rounds with vectors that the group had earlier
    private Tensor part; // null between two members
    private List<Range> wanted = List.of(); // in the round under way
    private long round;
    private boolean closed;

    /**
     * @param waiting runs what may wait for others, within the deadline of a call
     * @param telling runs what tells them something, unless no member can hear it any more; never fails
     */
    ReadableVectorSum(
            String what, Group group, SharedVectors vectors, Consumer<Runnable> waiting, Consumer<Runnable> telling) {
        this.what = what;
        this.group = group;
        this.vectors = vectors;
        this.waiting = waiting;
        this.telling = telling;
        this.elements = own().size();
        for (Stage stage : Stage.values()) {
            before.put(stage, vectors.said(stage));
        }
        if (group.size() > 2) {
            part = Tensor.zeros(Shape.of(group.part(elements).length()), own().type())
                    .retain();
        }
    }

    @Override
    public Tensor own() {
        return vectors.all().get(group.rank());
    }

    @Override
    public void awaitReaders() {
        await(Stage.RELEASED);
    }

    @Override
    public void prepare(List<Range> ranges) {
        round++;
        wanted = List.copyOf(ranges);
        if (part != null) {
            sumOwnPart();
            say(Stage.PREPARED);
            await(Stage.PREPARED);
        }
    }

    private void say(Stage stage) {
        telling.accept(() -> vectors.say(stage, before.get(stage) + round));
    }

    private void await(Stage stage) {
        String purpose = (stage == Stage.PREPARED ? "summing '" : "reading '") + what + "', round " + round;
        waiting.accept(() -> vectors.awaitAll(stage, before.get(stage) + round, purpose));
    }

    private void sumOwnPart() {
        Range own = group.part(elements);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            for (Range range : wantedOf(own)) {
                Tensor sum = part.narrow(0, range.from() - own.from(), range.length());
                sum.setToSum(of(0, range), of(1, range));
                for (int rank = 2; rank < group.size(); rank++) {
                    sum.add_(of(rank, range));
                }
                of(group.rank(), range).copy_(sum);
            }
        }
    }

    private List<Range> wantedOf(Range range) {
        return wanted.stream()
                .map(range::intersect)
                .filter(each -> !each.isEmpty())
                .toList();
    }

    private long wantedBytes(Range range) {
        return wantedOf(range).stream().mapToLong(Range::length).sum()
                * own().type().bytes();
    }

    @Override
    public void sum(Range range, Tensor into) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            if (part == null) {
                into.setToSum(of(0, range), of(1, range));
                return;
            }
            for (int rank = 0; rank < group.size(); rank++) {
                Range theirs = group.part(elements, rank).intersect(range);
                if (!theirs.isEmpty()) {
                    into.narrow(0, theirs.from() - range.from(), theirs.length())
                            .copy_(of(rank, theirs));
                }
            }
        }
    }

    private Tensor of(int rank, Range range) {
        return vectors.all().get(rank).narrow(0, range.from(), range.length());
    }

    @Override
    public void release() {
        long all = wantedBytes(new Range(0, elements));
        long mine = wantedBytes(group.part(elements));
        vectors.meter().reduceScatter(all, mine, group.size());
        vectors.meter().allGather(all, mine, group.size());
        say(Stage.RELEASED);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (part != null) {
            part.close();
        }
        List.copyOf(vectors.all()).forEach(Tensor::close);
        vectors.close();
    }
}
