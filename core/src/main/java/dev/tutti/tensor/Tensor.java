package dev.tutti.tensor;

import static dev.tutti.tensor.NativeConversions.call;
import static dev.tutti.tensor.NativeConversions.op;
import static dev.tutti.tensor.NativeConversions.run;
import static dev.tutti.tensor.NativeConversions.scalar;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarOptional;
import org.bytedeco.pytorch.TensorArrayRefOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * A dense array in the engine's memory, with automatic differentiation.
 *
 * <p>Operations return new tensors, owned by the innermost open {@link Scope}; those whose names end in an underscore change
 * the tensor in place and return it. Operations of neural networks are in {@link Functions}.
 */
public final class Tensor implements AutoCloseable {
    static final String CLOSED = "the tensor was used after it or its scope was closed: keep it with Scope.keep or "
            + "Tensor.retain where it has to live longer";

    private final org.bytedeco.pytorch.Tensor handle;

    public Tensor(org.bytedeco.pytorch.Tensor handle) {
        this.handle = Objects.requireNonNull(handle, "handle");
    }

    /** The engine's own tensor; throws when it has been freed. */
    public org.bytedeco.pytorch.Tensor handle() {
        if (handle.isNull()) {
            throw new IllegalStateException(CLOSED);
        }
        return handle;
    }

    // ---- making

    public static Tensor of(NdArray array) {
        return of(array, Device.CPU);
    }

    /** Copies an array of the JVM into the engine. */
    public static Tensor of(NdArray array, Device device) {
        Tensor tensor = empty(array.shape(), array.type());
        tensor.write(array);
        return device.equals(Device.CPU) ? tensor : tensor.to(device);
    }

    /** Copies some rows of an array of the JVM, counted along its first axis, into the engine. */
    public static Tensor of(NdArray array, Range rows, Device device) {
        Objects.checkFromToIndex(rows.from(), rows.to(), array.shape().dim(0));
        Tensor tensor = empty(array.shape().with(0, rows.length()), array.type());
        long rowSize = array.shape().from(1).size();
        run("write", () -> tensor.put(array, Math.toIntExact(rows.from() * rowSize)));
        return device.equals(Device.CPU) ? tensor : tensor.to(device);
    }

    public static Tensor of(float[] data, long... shape) {
        return of(NdArray.of(data, shape));
    }

    public static Tensor of(double[] data, long... shape) {
        return of(NdArray.of(data, shape));
    }

    public static Tensor of(long[] data, long... shape) {
        return of(NdArray.of(data, shape));
    }

    public static Tensor scalarOf(double value, DType type) {
        return full(Shape.scalar(), value, type);
    }

    public static Tensor zeros(Shape shape, DType type) {
        return zeros(shape, type, Device.CPU);
    }

    public static Tensor zeros(Shape shape, DType type, Device device) {
        return make("zeros", () -> torch.zeros(shape.toArray(), NativeConversions.options(type, device)));
    }

    public static Tensor full(Shape shape, double value, DType type) {
        return make(
                "full", () -> torch.full(shape.toArray(), scalar(value), NativeConversions.options(type, Device.CPU)));
    }

    /** Memory that was not written yet. */
    public static Tensor empty(Shape shape, DType type) {
        return make(
                "empty",
                () -> torch.empty(
                        shape.toArray(), NativeConversions.options(type, Device.CPU), new MemoryFormatOptional()));
    }

    public static Tensor range(long from, long to) {
        return make(
                "range",
                () -> torch.arange(
                        new Scalar(from), new Scalar(to), NativeConversions.options(DType.INT64, Device.CPU)));
    }

    public static Tensor concat(List<Tensor> parts, int axis) {
        return op("concatenate", () -> torch.cat(NativeConversions.vector(parts), axis));
    }

    public static Tensor stack(List<Tensor> parts, int axis) {
        return op("stack", () -> torch.stack(NativeConversions.vector(parts), axis));
    }

    private static Tensor make(String name, java.util.function.Supplier<org.bytedeco.pytorch.Tensor> call) {
        Engine.load();
        return op(name, call);
    }

    // ---- looking

    public Shape shape() {
        return call("shape", () -> Shape.of(handle().sizes().vec().get()));
    }

    public DType type() {
        return call("type", () -> NativeConversions.type(handle().scalar_type()));
    }

    public int rank() {
        return (int) handle().dim();
    }

    /** The extent at an axis; negative axes count from the end. */
    public long dim(int axis) {
        return call("dim", () -> handle().size(axis));
    }

    /** The number of elements. */
    public long size() {
        return handle().numel();
    }

    public Device device() {
        var device = handle().device();
        return device.is_cpu() ? Device.CPU : Device.cuda(device.index());
    }

    /** How far apart in memory neighbours along each axis are. */
    public long[] strides() {
        long[] strides = new long[rank()];
        for (int axis = 0; axis < strides.length; axis++) {
            strides[axis] = handle().stride(axis);
        }
        return strides;
    }

    /** Whether the elements lie in memory one after the other, in the order of the shape. */
    public boolean isContiguous() {
        return handle().is_contiguous();
    }

    /** False once the tensor or its scope was closed. */
    public boolean isOpen() {
        return !handle.isNull();
    }

    /** True when both are the same tensor, not only equal ones. */
    public boolean isSame(Tensor other) {
        return handle().is_same(other.handle());
    }

    /** The one number of a tensor with one element. */
    public double item() {
        return call("item", () -> handle().item().toDouble());
    }

    /** Copies the elements into the JVM, in the order of the shape, for any layout in memory. */
    public NdArray toArray() {
        return call("toArray", () -> {
            try (Scope scope = Scope.open()) {
                if (!type().isOfArrays()) {
                    throw new TensorException("toArray: " + type().notOfArrays().getMessage());
                }
                NdArray out = NdArray.zeros(type(), shape());
                if (out.size() == 0) {
                    return out; // the engine has no memory to point to
                }
                var source = handle().detach().cpu().contiguous();
                switch (out.type()) {
                    case FLOAT32 -> source.data_ptr_float().get(out.floats());
                    case FLOAT64 -> source.data_ptr_double().get(out.doubles());
                    case INT64 -> source.data_ptr_long().get(out.longs());
                    case INT32 -> source.data_ptr_int().get(out.ints());
                    case UINT8 -> source.data_ptr_byte().get(out.bytes());
                    case BOOL -> {
                        byte[] bytes = new byte[out.size()];
                        new BytePointer(source.data_ptr_bool()).get(bytes);
                        for (int i = 0; i < bytes.length; i++) {
                            out.booleans()[i] = bytes[i] != 0;
                        }
                    }
                    case FLOAT16, BFLOAT16 -> throw out.type().notOfArrays();
                }
                return out;
            }
        });
    }

    /** Overwrites all elements with those of an array of the same shape and type. */
    public void write(NdArray array) {
        if (array.type() != type() || !array.shape().equals(shape())) {
            throw new TensorException("write: expected " + type() + shape() + ", received " + array);
        }
        run("write", () -> {
            if (!handle().is_contiguous() || !device().equals(Device.CPU)) {
                try (Scope scope = Scope.open();
                        NoGradients off = NoGradients.begin()) {
                    handle().copy_(of(array).handle());
                }
                return;
            }
            put(array, 0);
        });
    }

    /** Overwrites all elements, which lie in one piece, with as many of an array. */
    private void put(NdArray array, int from) {
        int count = Math.toIntExact(size());
        if (count == 0) {
            return;
        }
        switch (array.type()) {
            case FLOAT32 -> handle().data_ptr_float().put(array.floats(), from, count);
            case FLOAT64 -> handle().data_ptr_double().put(array.doubles(), from, count);
            case INT64 -> handle().data_ptr_long().put(array.longs(), from, count);
            case INT32 -> handle().data_ptr_int().put(array.ints(), from, count);
            case UINT8 -> handle().data_ptr_byte().put(array.bytes(), from, count);
            case BOOL -> {
                byte[] bytes = new byte[count];
                for (int i = 0; i < count; i++) {
                    bytes[i] = (byte) (array.booleans()[from + i] ? 1 : 0);
                }
                new BytePointer(handle().data_ptr_bool()).put(bytes);
            }
            case FLOAT16, BFLOAT16 -> throw array.type().notOfArrays();
        }
    }

    // ---- living

    /** Makes the tensor outlive every scope: from now on it lives until {@link #close()}. */
    public Tensor retain() {
        handle().retainReference();
        return this;
    }

    /** Frees the tensor now, or takes back {@link #retain()}. Closing twice does nothing. */
    @Override
    public void close() {
        if (!handle.isNull()) {
            handle.releaseReference();
        }
    }

    /** Moves the elements into other memory, a tensor of the same shape; from now on both are the same elements. */
    public void liveIn(Tensor memory) {
        run("liveIn", () -> {
            memory.handle().copy_(handle());
            handle().set_data(memory.handle());
        });
    }

    /** Overwrites all elements with the sums of those of two tensors of the same shape. */
    public Tensor setToSum(Tensor a, Tensor b) {
        run("setToSum", () -> torch.add_out(handle(), a.handle(), b.handle()));
        return this;
    }

    // ---- shapes

    public Tensor view(long... dims) {
        return op("view", () -> handle().view(dims));
    }

    public Tensor reshape(long... dims) {
        return op("reshape", () -> handle().reshape(dims));
    }

    public Tensor flatten(int from) {
        return op("flatten", () -> handle().flatten(from, -1));
    }

    /** Splits one axis into several. */
    public Tensor unflatten(int axis, long... dims) {
        return op("unflatten", () -> handle().unflatten(axis, dims));
    }

    public Tensor permute(long... axes) {
        return op("permute", () -> handle().permute(axes));
    }

    public Tensor transpose(int a, int b) {
        return op("transpose", () -> handle().transpose(a, b));
    }

    public Tensor contiguous() {
        return op("contiguous", () -> handle().contiguous());
    }

    /** The elements {@code from} to {@code from + length} along an axis, as a view. */
    public Tensor narrow(int axis, long from, long length) {
        return op("narrow", () -> handle().narrow(axis, from, length));
    }

    /** One index along an axis, without that axis, as a view. */
    public Tensor select(int axis, long index) {
        return op("select", () -> handle().select(axis, index));
    }

    /** All indices along an axis, without that axis, as views; their gradients are put together in one go. */
    public List<Tensor> unbind(int axis) {
        return call("unbind", () -> {
            TensorVector parts = handle().unbind(axis);
            List<Tensor> out = new ArrayList<>();
            for (long i = 0; i < parts.size(); i++) {
                out.add(new Tensor(
                        new org.bytedeco.pytorch.Tensor(parts.get(i)))); // a copy of the handle: the vector goes
            }
            return out;
        });
    }

    public Tensor squeeze(int axis) {
        return op("squeeze", () -> handle().squeeze(axis));
    }

    public Tensor unsqueeze(int axis) {
        return op("unsqueeze", () -> handle().unsqueeze(axis));
    }

    public Tensor expand(long... dims) {
        return op("expand", () -> handle().expand(dims));
    }

    public Tensor to(DType type) {
        return op("to", () -> handle().to(NativeConversions.scalarType(type)));
    }

    public Tensor to(Device device) {
        return op("to", () -> handle().to(NativeConversions.nativeDevice(device), handle().scalar_type()));
    }

    public Tensor copy() {
        return op("copy", () -> handle().clone());
    }

    // ---- layout

    /** Whether {@link #toBlocked} is possible: for float32 on a CPU whose engine has oneDNN. */
    public boolean canBeBlocked() {
        return Engine.hasBlockedLayout() && type() == DType.FLOAT32 && device().equals(Device.CPU);
    }

    /**
     * The same values in the layout that oneDNN's convolutions, pools and large products are fastest on. Only those
     * operations, relu and gelu understand it; {@link #fromBlocked} leaves it.
     */
    public Tensor toBlocked() {
        return op("toBlocked", () -> handle().to_mkldnn());
    }

    public Tensor fromBlocked() {
        return op("fromBlocked", () -> handle().to_dense());
    }

    // ---- arithmetic

    public Tensor add(Tensor other) {
        return op("add", () -> handle().add(other.handle()));
    }

    public Tensor add(double value) {
        return op("add", () -> handle().add(scalar(value)));
    }

    public Tensor sub(Tensor other) {
        return op("sub", () -> handle().sub(other.handle()));
    }

    public Tensor mul(Tensor other) {
        return op("mul", () -> handle().mul(other.handle()));
    }

    public Tensor mul(double value) {
        return op("mul", () -> handle().mul(scalar(value)));
    }

    public Tensor div(Tensor other) {
        return op("div", () -> handle().div(other.handle()));
    }

    public Tensor div(double value) {
        return op("div", () -> handle().div(scalar(value)));
    }

    public Tensor matmul(Tensor other) {
        return op("matmul", () -> handle().matmul(other.handle()));
    }

    public Tensor neg() {
        return op("neg", () -> handle().neg());
    }

    public Tensor exp() {
        return op("exp", () -> handle().exp());
    }

    public Tensor log() {
        return op("log", () -> handle().log());
    }

    public Tensor sqrt() {
        return op("sqrt", () -> handle().sqrt());
    }

    public Tensor abs() {
        return op("abs", () -> handle().abs());
    }

    public Tensor sign() {
        return op("sign", () -> handle().sign());
    }

    public Tensor square() {
        return op("square", () -> handle().square());
    }

    public Tensor pow(double exponent) {
        return op("pow", () -> handle().pow(scalar(exponent)));
    }

    public Tensor clamp(double low, double high) {
        return op("clamp", () -> handle().clamp(new ScalarOptional(scalar(low)), new ScalarOptional(scalar(high))));
    }

    public Tensor sum() {
        return op("sum", () -> handle().sum());
    }

    public Tensor sum(int axis) {
        return op("sum", () -> handle().sum(axis));
    }

    public Tensor mean() {
        return op("mean", () -> handle().mean());
    }

    public Tensor mean(long... axes) {
        return op("mean", () -> handle().mean(axes));
    }

    public Tensor max(long... axes) {
        return op("max", () -> handle().amax(axes, false));
    }

    public Tensor argmax(int axis) {
        return op("argmax", () -> handle().argmax(new org.bytedeco.pytorch.LongOptional(axis), false));
    }

    /** Where the largest elements of a vector are: {@code count} of them, in no order, as int64. */
    public Tensor largest(long count) {
        return op("largest", () -> torch.topk(handle(), count, 0, true, false).get1());
    }

    /** The elements of a vector at places given as int64. */
    public Tensor at(Tensor places) {
        return op("at", () -> handle().index_select(0, places.handle()));
    }

    /** The Euclidean length of all elements. */
    public Tensor norm() {
        return op("norm", () -> handle().norm());
    }

    /** True when no element is NaN or infinite. */
    public boolean isFinite() {
        return call("isFinite", () -> {
            try (Scope scope = Scope.open()) {
                return handle().isfinite().all().item().toBool();
            }
        });
    }

    // ---- in place

    public Tensor copy_(Tensor source) {
        run("copy_", () -> handle().copy_(source.handle()));
        return this;
    }

    public Tensor zero_() {
        run("zero_", () -> handle().zero_());
        return this;
    }

    public Tensor fill_(double value) {
        run("fill_", () -> handle().fill_(scalar(value)));
        return this;
    }

    public Tensor add_(Tensor other) {
        run("add_", () -> handle().add_(other.handle()));
        return this;
    }

    public Tensor add_(double value) {
        run("add_", () -> handle().add_(scalar(value)));
        return this;
    }

    /** Adds {@code factor * other}. */
    public Tensor add_(Tensor other, double factor) {
        run("add_", () -> handle().add_(other.handle(), scalar(factor)));
        return this;
    }

    public Tensor mul_(Tensor other) {
        run("mul_", () -> handle().mul_(other.handle()));
        return this;
    }

    public Tensor mul_(double factor) {
        run("mul_", () -> handle().mul_(scalar(factor)));
        return this;
    }

    public Tensor clamp_(double low, double high) {
        run("clamp_", () -> handle().clamp_(new ScalarOptional(scalar(low)), new ScalarOptional(scalar(high))));
        return this;
    }

    public Tensor sqrt_() {
        run("sqrt_", () -> handle().sqrt_());
        return this;
    }

    public Tensor sign_() {
        run("sign_", () -> handle().sign_());
        return this;
    }

    /** Adds values to the elements of a vector at places given as int64, of which none comes twice. */
    public Tensor addAt_(Tensor places, Tensor values) {
        run("addAt_", () -> handle().index_add_(0, places.handle(), values.handle()));
        return this;
    }

    /** Makes the elements of a vector at places given as int64 zero. */
    public Tensor zeroAt_(Tensor places) {
        run("zeroAt_", () -> handle().index_fill_(0, places.handle(), scalar(0)));
        return this;
    }

    /** Adds {@code factor * a * b}, element by element. */
    public Tensor addcmul_(Tensor a, Tensor b, double factor) {
        run("addcmul_", () -> handle().addcmul_(a.handle(), b.handle(), scalar(factor)));
        return this;
    }

    /** Adds {@code factor * a / b}, element by element. */
    public Tensor addcdiv_(Tensor a, Tensor b, double factor) {
        run("addcdiv_", () -> handle().addcdiv_(a.handle(), b.handle(), scalar(factor)));
        return this;
    }

    /** Moves towards {@code end} by {@code weight}: {@code this + weight * (end - this)}. */
    public Tensor lerp_(Tensor end, double weight) {
        run("lerp_", () -> handle().lerp_(end.handle(), scalar(weight)));
        return this;
    }

    // ---- differentiation

    /** Runs the backward pass from this single number; gradients are added to those of the leaves. */
    public void backward() {
        run("backward", () -> handle().backward());
    }

    /** Runs the backward pass from this tensor, whose gradient is known. */
    public void backward(Tensor gradient) {
        run(
                "backward",
                () -> handle().backward(gradient.handle(), new BoolOptional(), false, new TensorArrayRefOptional()));
    }

    /** Runs one backward pass from several tensors, whose gradients are known. */
    public static void backward(List<Tensor> tensors, List<Tensor> gradients) {
        if (tensors.isEmpty()) {
            return;
        }
        run(
                "backward",
                () -> torch.backward(
                        NativeConversions.vector(tensors),
                        NativeConversions.vector(gradients),
                        new BoolOptional(),
                        false,
                        new TensorVector()));
    }

    /** The same values, cut off from what they were computed from. */
    public Tensor detach() {
        return op("detach", () -> handle().detach());
    }

    /** Like {@link #detach}, but changes of either are not counted as changes of the other. */
    public Tensor unlinked() {
        return op("unlinked", () -> handle().variable_data());
    }

    public Tensor requiresGradient(boolean on) {
        run("requiresGradient", () -> handle().requires_grad_(on));
        return this;
    }

    /** Whether passes give it a gradient. */
    public boolean requiresGradient() {
        return handle().requires_grad();
    }

    /** The gradient that was accumulated here; empty where no pass has given it one. */
    public Optional<Tensor> gradient() {
        var gradient = handle().grad();
        return gradient == null || !gradient.defined() ? Optional.empty() : Optional.of(new Tensor(gradient));
    }

    /** Forgets the gradient; the next backward pass makes memory of its own for it. */
    public void dropGradient() {
        run("dropGradient", () -> handle().mutable_grad().put(new org.bytedeco.pytorch.Tensor()));
    }

    /** Lets the backward pass accumulate this tensor's gradient into the given memory, which has the same shape. */
    public void accumulateInto(Tensor gradient) {
        run("accumulateInto", () -> handle().mutable_grad().put(gradient.handle()));
    }

    @Override
    public String toString() {
        return isOpen() ? type() + shape().toString() : "closed tensor";
    }
}
