package dev.tutti.serve.protocol;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.tensor.Datatype;
import dev.tutti.serve.tensor.RowShape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * TensorFlow's TensorProto: a type, a shape, and elements as raw bytes or as a list of numbers. A list that is too short is filled up with
 * its last number, as TensorFlow does.
 */
final class TensorFlowTensor {
    /** Numbers of the types in TensorFlow's DataType. */
    private enum Type {
        FLOAT(1, Datatype.FP32),
        DOUBLE(2, Datatype.FP64),
        INT32(3, Datatype.INT32),
        UINT8(4, Datatype.UINT8),
        INT16(5, Datatype.INT16),
        INT8(6, Datatype.INT8),
        INT64(9, Datatype.INT64),
        BOOL(10, Datatype.BOOL),
        UINT16(17, Datatype.UINT16),
        HALF(19, Datatype.FP16),
        UINT32(22, Datatype.UINT32),
        UINT64(23, Datatype.UINT64);

        private final int number;
        private final Datatype datatype;

        Type(int number, Datatype datatype) {
            this.number = number;
            this.datatype = datatype;
        }

        static Type numbered(long number) {
            return Arrays.stream(values())
                    .filter(type -> type.number == number)
                    .findFirst()
                    .orElseThrow(() -> ServeException.invalid(
                            "a tensor has the dtype " + number + ": expected one of " + Arrays.toString(values())));
        }
    }

    private static final int CONTENT = 4;
    private static final int HALVES = 13;

    /** A few bytes of a request become no more numbers than this. */
    private static final int MOST_FILLED = 1 << 20;

    private Type type = Type.FLOAT;
    private Shape shape = Shape.of();
    private ByteBuffer content = ByteBuffer.allocate(0);
    private double[] numbers = new double[8];
    private int count;

    private TensorFlowTensor() {}

    static TensorFlowTensor read(ProtoReader message) {
        TensorFlowTensor tensor = new TensorFlowTensor();
        while (message.next()) {
            switch (message.field()) {
                case 1 -> tensor.type = Type.numbered(message.varint());
                case 2 -> tensor.shape = shape(message.message());
                case CONTENT -> tensor.content = message.bytes();
                case 5, 6, 7, 10, 11, HALVES, 16, 17 -> tensor.numbers(message);
                case 8 -> throw ServeException.invalid("a tensor holds texts: expected numbers");
                default -> message.skip();
            }
        }
        return tensor;
    }

    private static Shape shape(ProtoReader message) {
        List<Long> dims = new ArrayList<>();
        while (message.next()) {
            if (message.field() != 2) {
                message.skip();
                continue;
            }
            ProtoReader dim = message.message();
            long size = 0;
            while (dim.next()) {
                if (dim.field() == 1) {
                    size = dim.varint();
                } else {
                    dim.skip();
                }
            }
            dims.add(size);
        }
        return OpenInferenceRequest.checked(
                dims.stream().mapToLong(Long::longValue).toArray());
    }

    /** A repeated field of numbers, packed or one by one. */
    private void numbers(ProtoReader message) {
        int field = message.field();
        if (message.kind() != ProtoReader.BYTES) {
            add(message.number(field == 5 || field == 6), field);
            return;
        }
        ByteBuffer packed = message.bytes();
        if (field == 5 || field == 6) {
            int width = field == 5 ? Float.BYTES : Double.BYTES;
            while (packed.remaining() >= width) {
                add(field == 5 ? packed.getFloat() : packed.getDouble(), field);
            }
        } else {
            ProtoReader whole = new ProtoReader(packed);
            while (whole.hasMore()) {
                add(whole.raw(), field);
            }
        }
    }

    private void add(double number, int field) {
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * count);
        }
        numbers[count++] = field == HALVES ? Datatype.half((short) (long) number) : number;
    }

    /**
     * The rows of an input.
     *
     * @throws ServeException if shape or count are not those of the input
     */
    NdArray toArray(TensorSpec input) {
        Shape wanted = RowShape.of(input, shape);
        if (content.hasRemaining()) {
            return type.datatype.read(content, wanted, input.type());
        }
        int size = Math.toIntExact(shape.size());
        if (count > size || count == 0 || count < size && size > MOST_FILLED) {
            throw ServeException.invalid(
                    "input '" + input.name() + "': shape " + shape + " holds " + size + " numbers, received " + count);
        }
        double[] all = Arrays.copyOf(numbers, size);
        Arrays.fill(all, count, size, numbers[count - 1]);
        return NdArray.of(all, wanted.toArray()).to(input.type());
    }

    /** The message of an array, its elements as raw bytes. */
    static ProtoWriter message(NdArray array) {
        return new ProtoWriter()
                .varint(1, number(array.type()))
                .message(2, shape(array.shape().toArray()))
                .bytes(CONTENT, Datatype.write(array));
    }

    /** The message that describes an input or output: TensorFlow's TensorInfo. */
    static ProtoWriter info(TensorSpec spec) {
        return new ProtoWriter()
                .text(1, spec.name() + ":0")
                .varint(2, number(spec.type()))
                .message(3, shape(spec.batchShape()));
    }

    private static ProtoWriter shape(long... extents) {
        ProtoWriter shape = new ProtoWriter();
        for (long extent : extents) {
            shape.message(2, new ProtoWriter().varint(1, extent));
        }
        return shape;
    }

    private static int number(DType type) {
        Datatype wanted = Datatype.of(type);
        return Arrays.stream(Type.values())
                .filter(known -> known.datatype == wanted)
                .findFirst()
                .orElseThrow()
                .number;
    }
}
