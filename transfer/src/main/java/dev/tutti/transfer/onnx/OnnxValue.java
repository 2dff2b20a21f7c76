package dev.tutti.transfer.onnx;

import java.util.Arrays;

/**
 * A tensor of an ONNX graph.
 *
 * @param dims its extents, -1 where one is not known beforehand
 */
record OnnxValue(String name, long[] dims) {
    int rank() {
        return dims.length;
    }

    /** An axis counted from the front. */
    int axis(long axis) {
        return (int) (axis < 0 ? axis + dims.length : axis);
    }

    OnnxValue with(long[] otherDims) {
        return new OnnxValue(name, otherDims);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OnnxValue value && name.equals(value.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name + Arrays.toString(dims);
    }
}
