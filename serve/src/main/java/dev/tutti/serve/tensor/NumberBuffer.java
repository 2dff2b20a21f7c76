package dev.tutti.serve.tensor;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import java.util.Arrays;

/** Numbers of unknown count and type, collected from a text. */
final class NumberBuffer {
    private static final double LARGEST_EXACT = 1L << 53;

    private double[] numbers = new double[64];
    private int size;

    void add(double number) {
        if (size == numbers.length) {
            numbers = Arrays.copyOf(numbers, size * 2);
        }
        numbers[size++] = number;
    }

    int size() {
        return size;
    }

    /**
     * The numbers as an array.
     *
     * @throws ServeException if the shape holds another count, or a number does not fit the type
     */
    NdArray toArray(DType type, Shape shape) {
        if (shape.size() != size) {
            throw ServeException.invalid("shape " + shape + " holds " + shape.size() + " numbers, received " + size);
        }
        NdArray array = NdArray.zeros(type, shape);
        switch (type) {
            case FLOAT32 -> {
                float[] out = array.floats();
                for (int i = 0; i < size; i++) {
                    out[i] = (float) numbers[i];
                }
            }
            case FLOAT64 -> System.arraycopy(numbers, 0, array.doubles(), 0, size);
            case INT64 -> {
                for (int i = 0; i < size; i++) {
                    array.longs()[i] = whole(numbers[i], -LARGEST_EXACT, LARGEST_EXACT);
                }
            }
            case INT32 -> {
                for (int i = 0; i < size; i++) {
                    array.ints()[i] = (int) whole(numbers[i], Integer.MIN_VALUE, Integer.MAX_VALUE);
                }
            }
            case UINT8 -> {
                for (int i = 0; i < size; i++) {
                    array.bytes()[i] = (byte) whole(numbers[i], 0, 255);
                }
            }
            case BOOL -> {
                for (int i = 0; i < size; i++) {
                    array.booleans()[i] = whole(numbers[i], 0, 1) != 0;
                }
            }
            case FLOAT16, BFLOAT16 -> throw type.notOfArrays();
        }
        return array;
    }

    private static long whole(double number, double from, double to) {
        if (number != Math.rint(number) || !(number >= from && number <= to)) {
            throw ServeException.invalid(
                    "expected whole numbers from " + (long) from + " to " + (long) to + ", received " + number);
        }
        return (long) number;
    }
}
