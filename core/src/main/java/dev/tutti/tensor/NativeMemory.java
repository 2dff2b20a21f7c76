package dev.tutti.tensor;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import java.nio.ByteBuffer;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;

/**
 * A stretch of memory outside of the Java heap, by its bytes: a tensor's elements, or a mapped file.
 *
 * <p>It does not own what it points to: who made it keeps the tensor or the buffer for as long as this is used. Nothing is
 * recorded for a backward pass.
 */
public final class NativeMemory {
    /** The engine divides larger sums among threads, which only get into each other's way where every member has a core. */
    private static final long BLOCK = 32768;

    private final BytePointer start;
    private final long bytes;

    @SuppressWarnings("unused") // keeps the memory alive
    private final Object owner;

    private NativeMemory(BytePointer start, long bytes, Object owner) {
        this.start = start;
        this.bytes = bytes;
        this.owner = owner;
    }

    /** The elements of a contiguous tensor on the CPU. */
    public static NativeMemory of(Tensor tensor) {
        if (!tensor.handle().is_contiguous() || !tensor.device().equals(Device.CPU)) {
            throw new TensorException("expected a tensor that lies in the CPU's memory in one piece, received " + tensor
                    + (tensor.device().equals(Device.CPU)
                            ? " with gaps or in another order: use contiguous()"
                            : " on " + tensor.device()));
        }
        long bytes = tensor.size() * tensor.type().bytes();
        return new NativeMemory(new BytePointer(tensor.handle().data_ptr()), bytes, tensor);
    }

    /** The bytes of a direct buffer, from its beginning. */
    public static NativeMemory of(ByteBuffer direct) {
        if (!direct.isDirect()) {
            throw new IllegalArgumentException("expected a direct buffer, received " + direct);
        }
        Engine.load();
        return new NativeMemory(new BytePointer(direct.duplicate().clear()), direct.capacity(), direct);
    }

    /** The first elements as a tensor, which must not be used after this memory is freed. */
    public Tensor tensor(DType type, long elements) {
        check(0, elements * type.bytes());
        return NativeConversions.op(
                "tensor",
                () -> torch.from_blob(start, new long[] {elements}, NativeConversions.options(type, Device.CPU)));
    }

    /**
     * Some elements as a tensor that may be kept: the memory stays as it is until the tensor and all that share its elements are closed.
     *
     * @param at where they begin, in bytes; no other such tensor that is alive begins there
     * @param released called when the last of them is closed, on any thread; it must neither wait nor throw
     */
    public Tensor lend(long at, DType type, Shape shape, Runnable released) {
        check(at, Math.max(1, shape.size() * type.bytes()));
        return BorrowedMemory.tensor(start.getPointer(at), type, shape, released);
    }

    /** Where it begins: tells stretches of memory apart. */
    public long address() {
        return start.address();
    }

    public long bytes() {
        return bytes;
    }

    /** Some bytes as a direct buffer, for a channel to read from or write to; it must not be used after this memory is freed. */
    public ByteBuffer buffer(long at, int count) {
        check(at, count);
        if (count == 0) {
            return ByteBuffer.allocateDirect(0); // the engine has no memory to point to
        }
        return new BytePointer(start).position(at).limit(at + count).asByteBuffer();
    }

    /** Copies bytes of another stretch to a place in this one; they must not overlap. */
    public void copy(long at, NativeMemory source, long from, long count) {
        check(at, count);
        source.check(from, count);
        if (count > 0) {
            Pointer.memcpy(start.getPointer(at), source.start.getPointer(from), count);
        }
    }

    /** Copies bytes from a place in this memory to the beginning of an array of the JVM. */
    public void read(long at, byte[] into, int count) {
        check(at, count);
        if (count > 0) {
            start.getPointer(at).get(into, 0, count);
        }
    }

    public void zero(long at, long count) {
        check(at, count);
        if (count > 0) {
            Pointer.memset(start.getPointer(at), 0, count);
        }
    }

    /**
     * Writes the sums of two stretches, element by element; either may be the one that is written. Short floats are added as
     * float32 and rounded.
     *
     * @param at where the sums begin in this memory, in bytes
     */
    public void sum(DType type, long at, NativeMemory a, long fromA, NativeMemory b, long fromB, long elements) {
        long width = type.bytes();
        check(at, elements * width);
        a.check(fromA, elements * width);
        b.check(fromB, elements * width);
        try (Scope scope = Scope.open()) {
            TensorOptions options = NativeConversions.options(type, Device.CPU);
            for (long done = 0; done < elements; done += BLOCK) {
                long[] length = {Math.min(BLOCK, elements - done)};
                long skip = done * width;
                var out = torch.from_blob(start.getPointer(at + skip), length, options);
                var left = torch.from_blob(a.start.getPointer(fromA + skip), length, options);
                var right = torch.from_blob(b.start.getPointer(fromB + skip), length, options);
                torch.add_out(out, left, right);
            }
        }
    }

    private void check(long at, long count) {
        if (at < 0 || count < 0 || at + count > bytes) {
            throw new IndexOutOfBoundsException(
                    "bytes " + at + " to " + (at + count) + " of a stretch of " + bytes + " bytes");
        }
    }
}
