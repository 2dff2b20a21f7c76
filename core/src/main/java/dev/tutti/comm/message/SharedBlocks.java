package dev.tutti.comm.message;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.sharedmemory.Segment;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

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
    private final Map<Integer, Lent> lent =
            new ConcurrentHashMap<>(); // by where the block begins: tensors that are alive here
    /** Lent tensors that are alive, and 1 for the link. */
    private final AtomicInteger users = new AtomicInteger(1);

    /** A tensor that is written here, and read there once it is sent. */
    private static final class Lent {
        private final long address;
        private final long bytes;
        private volatile boolean sent;

        Lent(long address, long bytes) {
            this.address = address;
            this.bytes = bytes;
        }
    }

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

    /** A tensor with any elements that fills a free block; it belongs to the open scope. Empty where there is no room. */
    Optional<Tensor> lend(DType type, Shape shape) {
        long bytes = shape.size() * type.bytes();
        long size = ALIGNMENT + aligned(bytes);
        int at = free(size);
        if (at < 0) {
            return Optional.empty();
        }
        users.incrementAndGet();
        Tensor tensor;
        try {
            tensor = segment.memory().lend((long) at + ALIGNMENT, type, shape, () -> givenBack(at));
        } catch (RuntimeException e) {
            unmapAfterLast();
            throw e;
        }
        blocks.put(at, (int) (at + size));
        segment.set(at, USED);
        lent.put(at, new Lent(NativeMemory.of(tensor).address(), bytes));
        return Optional.of(tensor);
    }

    /** The last that shares a lent tensor was closed: the block is free, unless it was sent and the reader still has it. */
    private void givenBack(int at) {
        Lent block = lent.remove(at);
        if (block != null && !block.sent) {
            segment.set(at, FREE);
        }
        unmapAfterLast();
    }

    /** Where the block of a lent tensor begins, which is sent from now on; nothing for others, and for one that was sent before. */
    OptionalInt find(List<Tensor> body) {
        if (lent.isEmpty() || body.size() != 1) {
            return OptionalInt.empty();
        }
        NativeMemory elements = NativeMemory.of(body.get(0));
        for (Map.Entry<Integer, Lent> each : lent.entrySet()) {
            Lent block = each.getValue();
            if (block.address == elements.address() && block.bytes == elements.bytes() && !block.sent) {
                block.sent = true;
                return OptionalInt.of(each.getKey());
            }
        }
        return OptionalInt.empty();
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
        blocks.keySet().removeIf(begin -> segment.get(begin) == FREE && !lent.containsKey(begin));
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

    /** The link has ended; the memory is unmapped when the last tensor in it is closed. */
    @Override
    public void close() {
        segment.unlink();
        unmapAfterLast();
    }

    private void unmapAfterLast() {
        if (users.decrementAndGet() == 0) {
            segment.close();
        }
    }
}
