package dev.tutti.comm.message;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.message.FrameCodec.Descriptor;
import dev.tutti.comm.message.FrameCodec.Place;
import dev.tutti.comm.sharedmemory.Segment;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory through which tensors go over a link between two processes of one machine, beside its connection. Each side makes memory for
 * what it sends when a long message first finds no room, and uses it once the other side has mapped it.
 */
final class LinkMemory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkMemory.class);
    /** Shorter bodies go through the connection. */
    static final long SHORTEST = 1 << 15;

    private static final long SMALLEST = 4 << 20;

    private final long most;
    private final Map<Integer, SharedBlocks> own = new HashMap<>(); // mapped by the other side
    private final Map<Integer, MappedBlocks> theirs = new HashMap<>();
    private SharedBlocks offered; // null: none that waits for the other side
    private boolean busy; // memory is being made, or waits for the other side
    private boolean closed;
    private long made;
    private int next;
    private final AtomicLong taken = new AtomicLong();

    /** @param most bytes of the memory that this side makes; 0: nothing is shared, either way */
    LinkMemory(long most) {
        this.most = most;
    }

    // ---- sending

    /** A tensor with any elements that lies in shared memory, if there is room: {@link #put} need not copy it. */
    synchronized Optional<Tensor> lend(DType type, Shape shape) {
        if (!closed && shape.size() * type.bytes() >= SHORTEST) {
            for (SharedBlocks blocks : own.values()) {
                Optional<Tensor> lent = blocks.lend(type, shape);
                if (lent.isPresent()) {
                    return lent;
                }
            }
        }
        return Optional.empty();
    }

    /** Copies tensors into shared memory, if there is room; one that was lent is there already. */
    synchronized Place put(List<Tensor> body) {
        if (!own.isEmpty() && MessageFrame.bytes(body) >= SHORTEST) {
            for (Map.Entry<Integer, SharedBlocks> each : own.entrySet()) {
                OptionalInt at = each.getValue().find(body);
                if (at.isPresent()) {
                    return new Place(each.getKey(), at.getAsInt());
                }
            }
            for (Map.Entry<Integer, SharedBlocks> each : own.entrySet()) {
                OptionalInt at = each.getValue().put(body);
                if (at.isPresent()) {
                    return new Place(each.getKey(), at.getAsInt());
                }
            }
        }
        return Place.BEHIND_THE_HEAD;
    }

    /** Whether memory should be made, since there was none for a body; the caller then calls {@link #make}. */
    synchronized boolean wants(List<Tensor> body) {
        boolean wanted =
                !closed && !busy && MessageFrame.bytes(body) >= SHORTEST && made + SharedBlocks.bytes(body) <= most;
        busy |= wanted;
        return wanted;
    }

    /** Makes memory with room for two bodies of so many bytes. @return what is to be said to the other side; nothing if there is no room */
    Optional<MessageFrame> make(long bytes) {
        long room = most - made;
        int size = (int) Math.min(Math.min(Math.max(SMALLEST, 2 * bytes), room), Integer.MAX_VALUE / 2);
        try {
            Segment segment = Segment.createInMemory(size);
            synchronized (this) {
                SharedBlocks blocks = new SharedBlocks(segment, size);
                if (closed) {
                    blocks.close();
                    return Optional.empty();
                }
                offered = blocks;
                made += size;
                return Optional.of(
                        MessageFrame.share(next, segment.path().getFileName().toString()));
            }
        } catch (IOException | RuntimeException e) { // it stays busy: there is no second attempt
            LOG.info("no shared memory for messages ({}): tensors go through the connection", e.getMessage());
            return Optional.empty();
        }
    }

    /** The other side has mapped what it was offered, or could not. */
    private synchronized void answered(boolean mapped) throws IOException {
        if (offered == null) {
            throw new IOException("it maps shared memory that it was not offered");
        }
        offered.unlink();
        if (mapped) {
            own.put(next++, offered);
            busy = false;
        } else {
            offered.close(); // it stays busy: it would refuse the next as well
        }
        offered = null;
    }

    // ---- receiving

    /** Hears what the other side says about memory. @return the answer, if it expects one */
    Optional<MessageFrame> heard(MessageFrame frame) throws IOException {
        if (frame.kind() == MessageFrame.Kind.SHARED) {
            answered(frame.term() == 1);
            return Optional.empty();
        }
        return Optional.of(MessageFrame.shared(frame.call(), map((int) frame.call(), frame.text())));
    }

    private synchronized boolean map(int number, String name) {
        if (most == 0 || closed || theirs.containsKey(number)) {
            return false;
        }
        try {
            theirs.put(number, new MappedBlocks(Segment.openInMemory(name)));
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.debug("shared memory of another member could not be mapped", e);
            return false;
        }
    }

    /** The tensors of a message: those that are wanted, written, or those in shared memory. */
    List<Tensor> take(Place place, List<Descriptor> tensors, Optional<List<Tensor>> wanted) throws IOException {
        MappedBlocks blocks;
        synchronized (this) {
            blocks = theirs.get(place.memory());
        }
        if (blocks == null) {
            throw new IOException("tensors lie in shared memory " + place.memory() + ", which is not mapped here");
        }
        taken.incrementAndGet();
        if (wanted.isPresent()) {
            blocks.copy(place.at(), tensors, wanted.get());
            return wanted.get();
        }
        return blocks.lend(place.at(), tensors);
    }

    /** The messages whose tensors came through memory. */
    long taken() {
        return taken.get();
    }

    /** The link has ended; called by the thread that received. Tensors that were received stay as they are. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            own.values().forEach(SharedBlocks::close);
            own.clear();
            theirs.values().forEach(MappedBlocks::close);
            theirs.clear();
            if (offered != null) {
                offered.close();
                offered = null;
            }
        }
    }
}
