package dev.tutti.comm.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Message;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames as bytes: the length of the head in four bytes, the head, then the elements of each tensor as they lie in memory.
 *
 * <p>Where both sides share memory, elements may lie there instead: the head says where.
 *
 * <p>The head: kind, call, term, sequence, limit; the text and the message's head, each with its length; where the elements
 * are; then the type and the extents of each tensor. Numbers are big-endian; elements have the byte order of the machines, which the handshake compares.
 */
final class FrameCodec {
    static final int PREFIX = 4;

    private static final int FIXED = 1 + 4 * Long.BYTES + 5 * Integer.BYTES;
    static final int HIGHEST_RANK = 16;
    private static final MessageFrame.Kind[] KINDS = MessageFrame.Kind.values();
    private static final DType[] TYPES = DType.values();

    private final MessageLimits limits;

    /** What the head says of one tensor. */
    record Descriptor(DType type, Shape shape) {
        long bytes() {
            return Math.multiplyExact(shape.size(), (long) type.bytes());
        }
    }

    /**
     * Where the elements of a frame's tensors lie.
     *
     * @param memory the number of the shared memory; -1: they follow the head
     * @param at where they begin there
     */
    record Place(int memory, int at) {
        static final Place BEHIND_THE_HEAD = new Place(-1, 0);

        boolean isShared() {
            return memory >= 0;
        }
    }

    /** What was read of a frame before its tensors; its body is empty. */
    record Head(MessageFrame frame, Place place, List<Descriptor> tensors) {}

    FrameCodec(MessageLimits limits) {
        this.limits = limits;
    }

    /** The bytes of the head of a frame about a topic. */
    static long headBytes(String text, Message message) {
        long size = FIXED + text.getBytes(UTF_8).length + (long) message.head().length;
        for (Tensor tensor : message.body()) {
            size += 2 + tensor.rank() * Long.BYTES;
        }
        return size;
    }

    /** The prefix and the head, ready to be written. */
    ByteBuffer encode(MessageFrame frame, Place place) {
        byte[] text = frame.text().getBytes(UTF_8);
        int size = Math.toIntExact(headBytes(frame.text(), frame.message()));
        ByteBuffer out = ByteBuffer.allocateDirect(PREFIX + size);
        out.putInt(size)
                .put((byte) frame.kind().ordinal())
                .putLong(frame.call())
                .putLong(frame.term())
                .putLong(frame.sequence())
                .putLong(frame.limitMillis())
                .putInt(text.length)
                .put(text)
                .putInt(frame.head().length)
                .put(frame.head())
                .putInt(place.memory())
                .putInt(place.at())
                .putInt(frame.body().size());
        for (Tensor tensor : frame.body()) {
            out.put((byte) tensor.type().ordinal()).put((byte) tensor.rank());
            for (long dim : tensor.shape().toArray()) {
                out.putLong(dim);
            }
        }
        return out.flip();
    }

    /** The length of the head that follows. */
    int headLength(int prefix) throws IOException {
        if (prefix < FIXED || prefix > limits.headBytes()) {
            throw new IOException(
                    "expected a head of " + FIXED + " to " + limits.headBytes() + " bytes, received " + prefix);
        }
        return prefix;
    }

    /** Reads a head; for any bytes it throws nothing but an IOException. */
    Head decode(ByteBuffer in) throws IOException {
        try {
            MessageFrame.Kind kind = KINDS[in.get()];
            long call = in.getLong();
            long term = in.getLong();
            long sequence = in.getLong();
            long limit = in.getLong();
            String text = new String(bytes(in), UTF_8);
            byte[] head = bytes(in);
            Place place = new Place(in.getInt(), in.getInt());
            List<Descriptor> tensors = descriptors(in);
            if (in.hasRemaining()) {
                throw new IOException(in.remaining() + " bytes more than the head needs");
            }
            return new Head(new MessageFrame(kind, call, term, sequence, limit, text, head, List.of()), place, tensors);
        } catch (RuntimeException e) {
            throw new IOException("the head of a message cannot be read: " + e, e);
        }
    }

    private static byte[] bytes(ByteBuffer in) throws IOException {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IOException("a field of " + length + " bytes where " + in.remaining() + " are left");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private List<Descriptor> descriptors(ByteBuffer in) throws IOException {
        int count = in.getInt();
        if (count < 0 || count > limits.tensors()) {
            throw new IOException("expected at most " + limits.tensors() + " tensors, received " + count);
        }
        List<Descriptor> tensors = new ArrayList<>();
        long left = limits.bodyBytes();
        for (int i = 0; i < count; i++) {
            DType type = TYPES[in.get()];
            int rank = in.get();
            if (rank < 0 || rank > HIGHEST_RANK) {
                throw new IOException("a tensor of rank " + rank + ", the limit is " + HIGHEST_RANK);
            }
            long[] dims = new long[rank];
            for (int axis = 0; axis < rank; axis++) {
                dims[axis] = in.getLong();
                if (dims[axis] < 0) {
                    throw new IOException("an extent of " + dims[axis]);
                }
            }
            Descriptor tensor = new Descriptor(type, Shape.of(dims));
            left -= tensor.bytes();
            if (left < 0) {
                throw new IOException("tensors of more than " + limits.bodyBytes() + " bytes");
            }
            tensors.add(tensor);
        }
        return tensors;
    }
}
