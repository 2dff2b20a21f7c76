package dev.tutti.tensor.vector;

import dev.tutti.array.Range;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.Dispatcher;
import org.bytedeco.pytorch.GenericList;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.OperatorHandle;
import org.bytedeco.pytorch.TensorType;
import org.bytedeco.pytorch.Type;

/**
 * A call of one of the engine's fused optimizer kernels: one pass over values, gradients and state instead of one for
 * every operation.
 *
 * <p>The kernels have no Java wrapper of their own and are called through the dispatcher, arguments in the order of
 * their schema. The arguments are put together once and kept: making them anew at every step costs three times as much
 * as the update of a small model itself. A call keeps the memory of its tensors alive until it is closed.
 *
 * <p>All tensors of a call are of the same length; {@code blocks} says which parts of them to update, see {@link
 * #blocks}.
 */
public final class FusedUpdate implements AutoCloseable {
    /**
     * Ranges that are cut at multiples of this many elements are updated to the same bits as the whole.
     *
     * <p>The kernels compute what fills a vector register and what is left over with different instructions, which may
     * differ in the last bit; blocks of this length are never left over, for any type and processor.
     */
    public static final int BLOCK = 16;

    private final OperatorHandle operator;
    private final IValueVector arguments;
    private final IValueVector stack = new IValueVector();
    private final int rateIndex;
    private double rate = Double.NaN;

    private FusedUpdate(OperatorHandle operator, int rateIndex, IValue... arguments) {
        this.operator = operator;
        this.rateIndex = rateIndex;
        this.arguments = new IValueVector(arguments);
        this.arguments.retainReference();
        stack.retainReference();
    }

    /** The settings of Adam; decoupled weight decay makes it AdamW. */
    public record AdamSettings(double beta1, double beta2, double epsilon, double weightDecay, boolean decoupled) {}

    /** {@code step} is a float32 tensor of one number that counts from 1. */
    public static FusedUpdate adam(
            List<Range> blocks,
            Tensor values,
            Tensor gradients,
            Tensor mean,
            Tensor square,
            Tensor step,
            AdamSettings settings) {
        return prepare(() -> new FusedUpdate(
                settings.decoupled ? Kernels.ADAMW : Kernels.ADAM,
                6,
                cut(values, blocks),
                cut(gradients, blocks),
                cut(mean, blocks),
                cut(square, blocks),
                none(), // largest squares, of amsgrad
                repeat(step, blocks),
                new IValue(0.0),
                new IValue(settings.beta1),
                new IValue(settings.beta2),
                new IValue(settings.weightDecay),
                new IValue(settings.epsilon),
                new IValue(false), // amsgrad
                new IValue(false), // maximize
                new IValue(),
                new IValue()));
    }

    /** The settings of gradient descent. */
    public record SgdSettings(double momentum, double weightDecay, boolean nesterov) {}

    /** A null {@code velocity} means no momentum; it begins as zeros. */
    public static FusedUpdate sgd(
            List<Range> blocks, Tensor values, Tensor gradients, Tensor velocity, SgdSettings settings) {
        return prepare(() -> new FusedUpdate(
                Kernels.SGD,
                5,
                cut(values, blocks),
                cut(gradients, blocks),
                velocity == null ? none() : cut(velocity, blocks),
                new IValue(settings.weightDecay),
                new IValue(settings.momentum),
                new IValue(0.0),
                new IValue(0.0), // dampening
                new IValue(settings.nesterov),
                new IValue(false), // maximize
                new IValue(false), // first step: the same as velocity that is zero, and one thing less to remember
                new IValue(),
                new IValue()));
    }

    /** {@code step} is a float32 tensor of one number that counts from 1. */
    public static FusedUpdate adagrad(
            List<Range> blocks,
            Tensor values,
            Tensor gradients,
            Tensor sum,
            Tensor step,
            double weightDecay,
            double epsilon) {
        return prepare(() -> new FusedUpdate(
                Kernels.ADAGRAD,
                4,
                cut(values, blocks),
                cut(gradients, blocks),
                cut(sum, blocks),
                repeat(step, blocks),
                new IValue(0.0),
                new IValue(0.0), // decay of the learning rate
                new IValue(weightDecay),
                new IValue(epsilon),
                new IValue(false), // maximize
                new IValue(),
                new IValue()));
    }

    /**
     * Cuts stretches of a range at the first and the last multiple of {@link #BLOCK} inside, counted from the beginning
     * of the vector, so that where a range begins and ends does not change what is computed within.
     *
     * @param stretches within the range, counted from its beginning
     * @param offset where the range begins in the vector
     */
    public static List<Range> blocks(List<Range> stretches, long offset) {
        List<Range> blocks = new ArrayList<>();
        for (Range stretch : stretches) {
            Range whole = blocksWithin(new Range(stretch.from() + offset, stretch.length()));
            long head = whole.from() - offset;
            long tail = whole.to() - offset;
            blocks.add(Range.between(stretch.from(), head));
            blocks.add(Range.between(head, tail));
            blocks.add(Range.between(tail, stretch.to()));
        }
        blocks.removeIf(Range::isEmpty);
        return blocks;
    }

    /** What of a range of the vector is whole blocks; empty where there are none. */
    public static Range blocksWithin(Range range) {
        long from = Math.min(range.to(), (range.from() + BLOCK - 1) / BLOCK * BLOCK);
        return Range.between(from, Math.max(from, range.to() / BLOCK * BLOCK));
    }

    /** Runs the kernel once. */
    public void run(double learningRate) {
        if (stack.isNull()) {
            throw new IllegalStateException("fused update: it was used after it was closed");
        }
        NativeConversions.run("fused update", () -> {
            if (learningRate != rate) {
                arguments.put(rateIndex, new IValue(learningRate));
                rate = learningRate;
            }
            stack.put(arguments); // the kernel takes its arguments off the stack
            operator.callBoxed(stack);
        });
    }

    /** Lets go of the tensors. Closing twice does nothing. */
    @Override
    public void close() {
        if (!stack.isNull()) {
            stack.releaseReference();
            arguments.releaseReference();
        }
    }

    private static FusedUpdate prepare(java.util.function.Supplier<FusedUpdate> call) {
        try (Scope scope = Scope.open()) { // frees the views and boxes: the kept arguments refer to what they hold
            return NativeConversions.call("fused update", call);
        }
    }

    private static IValue cut(Tensor tensor, List<Range> blocks) {
        return list(blocks.stream()
                .map(block -> tensor.narrow(0, block.from(), block.length()))
                .toList());
    }

    private static IValue repeat(Tensor tensor, List<Range> blocks) {
        return list(blocks.stream().map(block -> tensor).toList());
    }

    private static IValue none() {
        return list(List.of());
    }

    private static IValue list(List<Tensor> tensors) {
        GenericList list = new GenericList(new Type.TypePtr(TensorType.get()));
        for (Tensor tensor : tensors) {
            list.push_back(new IValue(tensor.handle()));
        }
        return new IValue(list);
    }

    /** Looked up when first used. */
    private static final class Kernels {
        private static final OperatorHandle ADAM = find("aten::_fused_adam_");
        private static final OperatorHandle ADAMW = find("aten::_fused_adamw_");
        private static final OperatorHandle SGD = find("aten::_fused_sgd_");
        private static final OperatorHandle ADAGRAD = find("aten::_fused_adagrad_");

        private static OperatorHandle find(String name) {
            Engine.load();
            OperatorHandle operator = Dispatcher.singleton().findSchemaOrThrow(name, "");
            operator.retainReference();
            return operator;
        }
    }
}
