package dev.tutti.bench.allreduce;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.Tensor;
import java.nio.file.Path;

/** One member's part in summing a vector of floats with the others, again and again. */
final class VectorSums implements AutoCloseable {
    private final Collectives collectives;
    private Tensor vector;

    VectorSums(WireKind wire, int rank, int members, Path folder) {
        Engine.useThreads(1);
        collectives = wire.open(rank, members, folder);
    }

    /** Sums so often, after all have come; returns the seconds it took. */
    double sum(int elements, int times) {
        if (vector == null || vector.size() != elements) {
            closeVector();
            vector = Tensor.full(Shape.of(elements), 1e-30, DType.FLOAT32); // stays finite for long enough
        }
        collectives.barrier("beginning");
        long began = System.nanoTime();
        for (int i = 0; i < times; i++) {
            collectives.allReduce("vector", vector);
        }
        return (System.nanoTime() - began) / 1e9;
    }

    /** Bytes that this member has sent so far. */
    long sent() {
        return collectives.traffic().sent();
    }

    private void closeVector() {
        if (vector != null) {
            vector.close();
        }
    }

    @Override
    public void close() {
        closeVector();
        collectives.close();
    }
}
