package dev.tutti.table;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;

/** Rows of floats by place, in blocks outside of the Java heap that are added as rows come. */
final class RowColumn implements AutoCloseable {
    /** About as many bytes in a block. */
    private static final int BLOCK_BYTES = 1 << 20;

    private final int width;
    private final int rowsPerBlock; // a power of two
    private final List<Tensor> memory = new ArrayList<>();
    private final List<FloatBuffer> blocks = new ArrayList<>();

    RowColumn(int width) {
        this.width = width;
        rowsPerBlock = Integer.highestOneBit(Math.max(1, BLOCK_BYTES / Float.BYTES / width));
    }

    /** Makes room for so many rows; new ones are zeros. */
    void reserve(int rows) {
        while ((long) blocks.size() * rowsPerBlock < rows) {
            try (Scope scope = Scope.open()) {
                Tensor block = Tensor.zeros(Shape.of((long) rowsPerBlock * width), DType.FLOAT32)
                        .retain();
                memory.add(block);
                blocks.add(NativeMemory.of(block)
                        .buffer(0, rowsPerBlock * width * Float.BYTES)
                        .order(ByteOrder.nativeOrder())
                        .asFloatBuffer());
            }
        }
    }

    void read(int row, float[] into, int at) {
        blocks.get(row / rowsPerBlock).get(row % rowsPerBlock * width, into, at, width);
    }

    void write(int row, float[] from, int at) {
        blocks.get(row / rowsPerBlock).put(row % rowsPerBlock * width, from, at, width);
    }

    long bytes() {
        return (long) blocks.size() * rowsPerBlock * width * Float.BYTES;
    }

    @Override
    public void close() {
        blocks.clear();
        memory.forEach(Tensor::close);
        memory.clear();
    }
}
