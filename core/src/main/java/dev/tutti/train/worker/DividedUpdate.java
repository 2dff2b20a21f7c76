package dev.tutti.train.worker;

import dev.tutti.array.Range;
import dev.tutti.optim.Clipping;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.PartedUpdate;
import dev.tutti.optim.Target;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.GradientListener;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntConsumer;

/**
 * The update of parameters that workers share, in pieces: the next free worker sums the gradients of the next one and moves it. Which
 * worker that is does not change the result.
 *
 * <p>Order of calls for each step: {@link #apply}. Where it is known beforehand what the update will be, instead: {@link #begin}; then
 * each worker's backward pass says with a {@link #leaver} what it is through with, and {@link #passed} when it is over, however it
 * ended; {@link #end}. So a worker that is done before the others moves what all of them have left, instead of waiting.
 */
final class DividedUpdate implements AutoCloseable {
    /** Shorter pieces take longer to hand out than to move. */
    private static final long LEAST_PIECE = 1 << 16;

    /** The more there are, the more evenly they are divided. */
    private static final int PIECES_PER_WORKER = 4;

    private final List<FlatVector> vectors;
    private final Target target;
    private final Optimizer optimizer;
    private final WorkerPool pool;
    private final AtomicInteger passes = new AtomicInteger(); // under way
    private PartedUpdate update;
    private UpdateQueue pieces;
    private BiConsumer<Range, Tensor> sumOfAll; // null: gradients are those of our own workers
    private boolean begun;
    private Move move;
    private int summands;

    /**
     * @param vectors of each worker, in their order; all have the same values
     * @param target all of the first one's vector
     * @param owned the range that is moved
     */
    DividedUpdate(List<FlatVector> vectors, Target target, Optimizer optimizer, WorkerPool pool, Range owned) {
        this.vectors = List.copyOf(vectors);
        this.target = target;
        this.optimizer = optimizer;
        this.pool = pool;
        bind(target.part(owned));
    }

    /**
     * By what parameters move.
     *
     * @param factor what sums of gradients are multiplied by
     */
    record Move(double learningRate, double factor) {}

    private void bind(Target part) {
        update = PartedUpdate.of(optimizer, part, cut(part, pool.size()));
        pieces = new UpdateQueue(update.ranges());
    }

    private static List<Range> cut(Target target, int workers) {
        if (workers == 1) {
            return List.of(target.range());
        }
        long length = Math.max(LEAST_PIECE, target.range().length() / PIECES_PER_WORKER / workers);
        List<Range> cut = target.partsUpTo(length);
        return cut.size() > workers ? cut : target.parts(workers);
    }

    /** Moves only a range from now on. The optimizer's state begins anew, and is that of the range. */
    void own(Range range) {
        update.close();
        bind(target.part(range));
    }

    /** Sums come from elsewhere: {@code sum} writes them where the first worker's gradients are. Null: they are our workers' own. */
    void sumWith(BiConsumer<Range, Tensor> sum) {
        sumOfAll = sum;
    }

    Map<String, Tensor> state() {
        return update.state();
    }

    /** Whether it can {@link #begin}: not where lengths are limited, which are of all gradients. */
    boolean canBegin() {
        return pool.size() > 1 && sumOfAll == null && optimizer.clipping().norm() <= 0;
    }

    /** The gradients that the first workers are about to compute are all that the update needs. */
    void begin(Move by, int workers) {
        begun = true;
        move = by;
        summands = workers;
        passes.set(workers);
        pieces.layOut(workers);
        update.begin();
    }

    /** Takes the ranges that a worker's pass is through with, as {@link GradientListener.Event#RELEASED} says. */
    Consumer<Range> leaver() {
        return pieces.leaver();
    }

    /**
     * A worker's pass is over: it moves what all have left, and waits a moment for what others still use. When all passes are over and
     * have left the whole vector, all of it is moved.
     */
    void passed() {
        if (!begun) {
            return;
        }
        passes.decrementAndGet();
        boolean more = true;
        while (more) {
            boolean allPassed = passes.get() == 0;
            more = take(this::sumAndMove) || !allPassed && pool.spinUntil(() -> passes.get() == 0 || pieces.canTake());
        }
    }

    boolean isBegun() {
        return begun;
    }

    /** The update that was begun is over. */
    void end() {
        begun = false;
    }

    /**
     * Moves the parameters, all workers together; uses the gradients up.
     *
     * @param workers how many workers hold gradients of the step, from the first one on
     * @param sumOfSquares makes the squared length of all gradients of the one of our range; asked when lengths are limited
     */
    void apply(Move by, int workers, DoubleUnaryOperator sumOfSquares) {
        move = by;
        summands = workers;
        update.begin();
        if (optimizer.clipping().norm() > 0) {
            clipAndMove(sumOfSquares);
        } else {
            together(this::sumAndMove);
        }
    }

    /** Lengths are of all gradients: one more round. */
    private void clipAndMove(DoubleUnaryOperator sumOfSquares) {
        double[] squares = new double[update.parts()];
        together(piece -> squares[piece] = sum(piece));
        double length =
                Math.sqrt(sumOfSquares.applyAsDouble(Arrays.stream(squares).sum()));
        together(piece -> {
            optimizer.clipping().scale(gradients(update.range(piece)), length);
            update.apply(piece, move.learningRate);
        });
    }

    private void together(IntConsumer work) {
        pieces.layOut(0);
        pool.together(worker -> {
            while (take(work)) {}
        });
    }

    private boolean take(IntConsumer work) {
        return pieces.take(piece -> {
            Engine.useThreads(1);
            work.accept(piece);
        });
    }

    private void sumAndMove(int piece) {
        sum(piece);
        update.apply(piece, move.learningRate);
    }

    /** Sums, scales and cuts the gradients of a piece; returns the square of their length where that is limited. */
    private double sum(int piece) {
        Clipping clipping = optimizer.clipping();
        Range range = update.range(piece);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            if (sumOfAll == null) {
                sum(range, summands);
            } else {
                sumOfAll.accept(range, gradients(range));
            }
            if (move.factor == 1 && !clipping.isOn()) {
                return 0;
            }
            Tensor gradients = gradients(range);
            if (move.factor != 1) {
                gradients.mul_(move.factor);
            }
            clipping.clipValues(gradients);
            return clipping.norm() > 0 ? Clipping.squaredNorm(gradients) : 0;
        }
    }

    /** Adds the gradients of a range of the first workers up in the first one's memory, always in the same order. */
    void sum(Range range, int workers) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            for (int worker = 1; worker < workers; worker++) {
                vectors.get(0).written(range).add_(vectors.get(worker).gradients(range));
            }
        }
    }

    private Tensor gradients(Range range) {
        return vectors.get(0).gradients(range);
    }

    @Override
    public void close() {
        update.close();
    }
}
