package dev.tutti.comm.message;

import dev.tutti.comm.sharedmemory.Segment;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Memory that this member fills and another process of the machine reads: a block of it holds the tensors of one message. The reader
 * says in the block that it is done with it. It waits for nothing: where there is no room the message goes another way.
 */
final class SharedBlocks implements AutoCloseable {
    /** Blocks and tensors begin at multiples of it; the first so many bytes of a block say whether it is used. */
    static final int ALIGNMENT = 64;

    static final long USED = 1;
    static final long FREE = 0;

    private final Segment segment;
    private final int size;
    private final TreeMap<Integer, Integer> blocks = new TreeMap<>(); // where they begin and end

    /** @param size the bytes of the segment */
    SharedBlocks(Segment segment, int size) {
        this.segment = segment;
        this.size = size;
    }

    /** The bytes of a block for tensors. */
    static long bytes(List<Tensor> body) {
        long bytes = ALIGNMENT;
        for (Tensor tensor : body) {
            bytes += aligned(tensor.size() * tensor.type().bytes());
        }
        return bytes;
    }

    /** The room that so many bytes take. */
    static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** Copies tensors into a free block. @return where it begins; nothing where there is no room */
    OptionalInt put(List<Tensor> body) {
        long bytes = bytes(body);
        int at = free(bytes);
        if (at < 0) {
            return OptionalInt.empty();
        }
        blocks.put(at, (int) (at + bytes));
        segment.set(at, USED);
        long to = (long) at + ALIGNMENT;
        for (Tensor tensor : body) {
            NativeMemory elements = NativeMemory.of(tensor);
            segment.memory().copy(to, elements, 0, elements.bytes());
            to += aligned(elements.bytes());
        }
        return OptionalInt.of(at);
    }

    /** The first gap of so many bytes between blocks that are in use; -1: none. */
    private int free(long bytes) {
        blocks.keySet().removeIf(begin -> segment.get(begin) == FREE);
        int end = 0;
        for (Map.Entry<Integer, Integer> block : blocks.entrySet()) {
            if (block.getKey() - end >= bytes) {
                return end;
            }
            end = block.getValue();
        }
        return size - end >= bytes ? end : -1;
    }

    /** The other side has mapped it, or will not: nothing is left behind when both have ended. */
    void unlink() {
        segment.unlink();
    }

    int size() {
        return size;
    }

    @Override
    public void close() {
        segment.unlink();
        segment.close();
    }
}
