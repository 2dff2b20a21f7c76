package dev.tutti.tensor;

import dev.tutti.array.DType;
import java.util.function.Supplier;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.LongArrayRefOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The seam to libtorch: turns our values into its own and its errors into ours. */
public final class NativeConversions {
    private NativeConversions() {}

    /** Runs an operation; what the engine refuses comes out as a {@link TensorException} with the engine's first sentence. */
    static Tensor op(String name, Supplier<org.bytedeco.pytorch.Tensor> call) {
        return new Tensor(call(name, call));
    }

    public static <T> T call(String name, Supplier<T> call) {
        try {
            return call.get();
        } catch (TensorException | IllegalStateException e) {
            throw e;
        } catch (NullPointerException e) {
            if (e.getMessage() == null || !e.getMessage().contains("address")) {
                throw e; // a null that was handed over, not a pointer that was freed
            }
            throw new IllegalStateException(name + ": " + Tensor.CLOSED, e);
        } catch (RuntimeException e) {
            throw new TensorException(name + ": " + firstSentence(e), e);
        }
    }

    public static void run(String name, Runnable call) {
        call(name, () -> {
            call.run();
            return null;
        });
    }

    /** The engine appends a C++ stack trace to its messages; users get what stands before it. */
    public static String firstSentence(RuntimeException e) {
        String message = e.getMessage();
        if (message == null) {
            return e.getClass().getSimpleName();
        }
        int trace = message.indexOf("\nException raised from");
        return (trace < 0 ? message : message.substring(0, trace)).strip();
    }

    static Scalar scalar(double value) {
        return new Scalar(value);
    }

    static TensorOptional optional(Tensor tensor) {
        return tensor == null ? new TensorOptional() : new TensorOptional(tensor.handle());
    }

    static TensorVector vector(Iterable<Tensor> tensors) {
        TensorVector out = new TensorVector();
        for (Tensor tensor : tensors) {
            out.push_back(tensor.handle());
        }
        return out;
    }

    static LongArrayRefOptional dims(long... dims) {
        return new LongArrayRefOptional(dims);
    }

    static TensorOptions options(DType type, Device device) {
        TensorOptions options = torch.dtype(scalarType(type));
        return device.kind() == Device.Kind.CPU ? options : options.device(new DeviceOptional(nativeDevice(device)));
    }

    public static org.bytedeco.pytorch.Device nativeDevice(Device device) {
        return new org.bytedeco.pytorch.Device(device.toString());
    }

    static ScalarTypeOptional optional(DType type) {
        return new ScalarTypeOptional(scalarType(type));
    }

    static ScalarType scalarType(DType type) {
        return switch (type) {
            case FLOAT32 -> ScalarType.Float;
            case FLOAT64 -> ScalarType.Double;
            case INT64 -> ScalarType.Long;
            case INT32 -> ScalarType.Int;
            case UINT8 -> ScalarType.Byte;
            case BOOL -> ScalarType.Bool;
            case FLOAT16 -> ScalarType.Half;
            case BFLOAT16 -> ScalarType.BFloat16;
        };
    }

    static DType type(ScalarType type) {
        return switch (type.intern()) {
            case Float -> DType.FLOAT32;
            case Double -> DType.FLOAT64;
            case Long -> DType.INT64;
            case Int -> DType.INT32;
            case Byte -> DType.UINT8;
            case Bool -> DType.BOOL;
            case Half -> DType.FLOAT16;
            case BFloat16 -> DType.BFLOAT16;
            default ->
                throw new TensorException("tensors of type " + type + " are not supported here: cast them to float32");
        };
    }
}
