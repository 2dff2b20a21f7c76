package dev.tutti.tensor.quantized;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.host.Processor;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.Dispatcher;
import org.bytedeco.pytorch.GenericList;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.IntType;
import org.bytedeco.pytorch.OperatorHandle;
import org.bytedeco.pytorch.SingletonTypePtr;
import org.bytedeco.pytorch.TensorType;
import org.bytedeco.pytorch.Type;
import org.bytedeco.pytorch.global.torch;

/** The engine's quantized operators, which have no Java wrappers and are called through the dispatcher. */
final class QuantizedOperators {
    /** The largest rounded weight; its smallest is the negative, so that zero stays zero. */
    static final int LARGEST_WEIGHT = 127;

    /** Sums of pairs of products overflow 16 bits on processors without VNNI unless inputs have 7 bits. */
    static final boolean SEVEN_BITS = !Processor.hasInt8();

    private static final double SMALLEST_SCALE = 1e-12;

    /** Adding and taking away this multiple of a float32 rounds it to 16 of its 24 bits. */
    private static final double KEEPS_16_BITS = 257;

    private QuantizedOperators() {}

    /** An operator, looked up once. */
    static OperatorHandle find(String name, String overload) {
        Engine.load();
        OperatorHandle operator = Dispatcher.singleton().findSchemaOrThrow(name, overload);
        operator.retainReference();
        return operator;
    }

    /** Calls an operator; what comes back belongs to the open scope. */
    static List<IValue> call(OperatorHandle operator, IValue... arguments) {
        return NativeConversions.call("int8", () -> {
            IValueVector stack = new IValueVector(arguments);
            operator.callBoxed(stack);
            List<IValue> results = new ArrayList<>();
            for (long i = 0; i < stack.size(); i++) {
                results.add(new IValue(stack.get(i))); // a copy: what the stack gives lives no longer than it
            }
            return results;
        });
    }

    static Tensor tensor(IValue value) {
        return new Tensor(value.toTensor());
    }

    /** What goes into an operator: in one piece, and in the plain layout where the engine has chosen one of its own. */
    static IValue input(Tensor x) {
        return NativeConversions.call("int8", () -> {
            org.bytedeco.pytorch.Tensor handle = x.handle();
            return new IValue((handle.is_mkldnn() ? handle.to_dense() : handle).contiguous());
        });
    }

    static IValue optional(Tensor tensor) {
        return tensor == null ? new IValue() : new IValue(tensor.handle());
    }

    static IValue integers(long... values) {
        GenericList list = new GenericList(
                new Type.TypePtr(new SingletonTypePtr(IntType.getIntTypePtr().get())));
        for (long value : values) {
            list.push_back(new IValue(value));
        }
        return new IValue(list);
    }

    static IValue tensors(List<Tensor> tensors) {
        GenericList list = new GenericList(new Type.TypePtr(TensorType.get()));
        tensors.forEach(tensor -> list.push_back(new IValue(tensor.handle())));
        return new IValue(list);
    }

    /**
     * What one step of a rounded weight is worth, for each row along the first axis: of 16 bits, so that products with steps are exact and a
     * weight that was rounded before keeps its scales.
     */
    static Tensor scales(Tensor weight) {
        long rows = weight.dim(0);
        Tensor exact = weight.contiguous()
                .view(rows, weight.size() / rows)
                .abs()
                .max(1)
                .mul(1.0 / LARGEST_WEIGHT)
                .clamp(SMALLEST_SCALE, Float.MAX_VALUE);
        Tensor large = exact.mul(KEEPS_16_BITS);
        return large.add(large.add(exact.mul(-1)).mul(-1));
    }

    /** A weight rounded row by row, as the engine's operators take it. */
    static IValue rounded(Tensor weight) {
        Tensor zeros = Tensor.zeros(Shape.of(weight.dim(0)), DType.INT64);
        return NativeConversions.call(
                "int8",
                () -> new IValue(torch.quantize_per_channel(
                        weight.contiguous().handle(),
                        scales(weight).to(DType.FLOAT64).handle(),
                        zeros.handle(),
                        0,
                        torch.ScalarType.QInt8)));
    }
}
