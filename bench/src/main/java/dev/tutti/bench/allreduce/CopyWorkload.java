package dev.tutti.bench.allreduce;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.bench.contender.Workload;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;

/** Copies of a stretch of memory within one JVM, by one thread: what any exchange of so many bytes has to do at least. */
final class CopyWorkload implements Workload {
    private final Tensor source;
    private final Tensor target;
    private final NativeMemory from;
    private final NativeMemory to;

    CopyWorkload(int bytes) {
        source = Tensor.full(Shape.of(bytes / Float.BYTES), 1, DType.FLOAT32);
        target = Tensor.full(Shape.of(bytes / Float.BYTES), 2, DType.FLOAT32);
        from = NativeMemory.of(source);
        to = NativeMemory.of(target);
    }

    @Override
    public void step() {
        to.copy(0, from, 0, from.bytes());
    }

    @Override
    public int batch() {
        return 1;
    }

    @Override
    public void close() {
        source.close();
        target.close();
    }
}
