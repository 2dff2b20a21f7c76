package dev.tutti.comm.message;

import dev.tutti.comm.message.FrameCodec.Descriptor;
import dev.tutti.comm.sharedmemory.Segment;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The other end of {@link SharedBlocks}: memory that another process of the machine fills and this one reads. It stays mapped until the
 * last tensor in it is closed.
 */
final class MappedBlocks implements AutoCloseable {
    private final Segment segment;
    /** Blocks with tensors that are alive, and 1 for the link. */
    private final AtomicInteger users = new AtomicInteger(1);

    MappedBlocks(Segment segment) {
        this.segment = segment;
    }

    /** The tensors of a block where they lie; it is free again when all of them, and all that share their elements, are closed. */
    List<Tensor> lend(int at, List<Descriptor> tensors) throws IOException {
        require(at, tensors);
        AtomicInteger alive = new AtomicInteger(1); // for this method, so that it does not end half-way
        users.incrementAndGet();
        Runnable released = () -> {
            if (alive.decrementAndGet() == 0) {
                release(at);
            }
        };
        List<Tensor> lent = new ArrayList<>(tensors.size());
        try {
            long from = (long) at + SharedBlocks.ALIGNMENT;
            for (Descriptor tensor : tensors) {
                if (tensor.bytes() == 0) {
                    lent.add(Tensor.empty(tensor.shape(), tensor.type()).retain());
                } else {
                    alive.incrementAndGet();
                    lent.add(segment.memory()
                            .lend(from, tensor.type(), tensor.shape(), released)
                            .retain());
                }
                from += SharedBlocks.aligned(tensor.bytes());
            }
            return lent;
        } catch (RuntimeException e) {
            lent.forEach(Tensor::close);
            throw e;
        } finally {
            released.run();
        }
    }

    /** Copies the tensors of a block to where they are wanted, and frees it. */
    void copy(int at, List<Descriptor> tensors, List<Tensor> to) throws IOException {
        require(at, tensors);
        long from = (long) at + SharedBlocks.ALIGNMENT;
        for (Tensor wanted : to) {
            NativeMemory memory = NativeMemory.of(wanted);
            memory.copy(0, segment.memory(), from, memory.bytes());
            from += SharedBlocks.aligned(memory.bytes());
        }
        segment.set(at, SharedBlocks.FREE);
    }

    private void require(int at, List<Descriptor> tensors) throws IOException {
        long bytes = SharedBlocks.ALIGNMENT;
        for (Descriptor tensor : tensors) {
            bytes += SharedBlocks.aligned(tensor.bytes());
        }
        if (at < 0
                || at % SharedBlocks.ALIGNMENT != 0
                || at + bytes > segment.memory().bytes()) {
            throw new IOException("tensors of " + bytes + " bytes at " + at + " of a shared memory of "
                    + segment.memory().bytes());
        }
        if (segment.get(at) != SharedBlocks.USED) {
            throw new IOException("a message lies in a block of shared memory that is free");
        }
    }

    private void release(int at) {
        segment.set(at, SharedBlocks.FREE);
        close();
    }

    /** The link, or the last tensor of a block, needs it no more. */
    @Override
    public void close() {
        if (users.decrementAndGet() == 0) {
            segment.close();
        }
    }
}
