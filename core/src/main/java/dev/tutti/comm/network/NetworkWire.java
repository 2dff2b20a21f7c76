package dev.tutti.comm.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.MismatchedCallException;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorException;
import dev.tutti.tensor.TensorLinks;
import dev.tutti.tensor.TensorLinks.Transfer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages and elements between members that the network connects.
 *
 * <p>A message is what members tell each other before elements move, or why one of them leaves. The next message of every member
 * is always waited for, so that a leaving member's word arrives even when elements were expected from it.
 *
 * <p>Gloo measures its own limits by the machine's clock, and breaks all connections when one is over. So it gets none that could be over:
 * a thread looks at the deadline, which does not count time in which this process was stopped, and ends the waiting.
 */
final class NetworkWire implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NetworkWire.class);

    private static final int MESSAGES = 1;
    private static final int ELEMENTS = 2;
    /** Tags are numbers from 1 to this one. */
    static final int TAGS = 2;

    private static final byte CALL = 0;
    private static final byte LOST_OTHERS = 1;
    private static final byte MISMATCHED = 2;

    /** Room for a call, or for the reason why a member leaves. */
    private static final int MESSAGE_BYTES = 1024;
    /** A last message is short, and is dropped if its receiver cannot take it at once. */
    private static final Duration LAST_WORD = Duration.ofMillis(50);

    private static final Duration NEVER = Duration.ofDays(100);
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(10);

    private final Group group;
    private final TensorLinks links;
    private final CallDeadline patience;
    private final Tensor outbox;
    private final Tensor[] inboxes;
    private final Transfer[] incoming;
    private final Set<Transfer> underWay = ConcurrentHashMap.newKeySet();
    private final Thread deadline = new Thread(this::watchDeadline, "tutti-network-deadline");
    private volatile boolean closed;

    NetworkWire(Group group, TensorLinks links, CallDeadline patience) {
        this.group = group;
        this.links = links;
        this.patience = patience;
        Shape message = Shape.of(MESSAGE_BYTES);
        outbox = Tensor.zeros(message, DType.UINT8).retain();
        inboxes = new Tensor[group.size()];
        incoming = new Transfer[group.size()];
        for (int rank = 0; rank < group.size(); rank++) {
            if (rank != group.rank()) {
                inboxes[rank] = Tensor.zeros(message, DType.UINT8).retain();
                listen(rank);
            }
        }
        deadline.setDaemon(true);
        deadline.start();
    }

    private void watchDeadline() {
        while (!closed) {
            LockSupport.parkNanos(LOOK);
            if (!underWay.isEmpty() && patience.left().isZero()) {
                wake();
            }
        }
    }

    private void listen(int rank) {
        try {
            incoming[rank] = links.receive(inboxes[rank], rank, MESSAGES);
        } catch (TensorException e) {
            log.debug("{} is gone; who waits for it next will be told", id(rank), e);
        }
    }

    /** Tells all members something, and returns what they told, by rank. */
    byte[][] exchange(byte[] mine, String purpose) {
        write(CALL, mine);
        Transfer[] sends = new Transfer[group.size()];
        for (int rank = 0; rank < group.size(); rank++) {
            if (rank != group.rank()) {
                sends[rank] = sendMessage(rank, purpose);
            }
        }
        byte[][] all = new byte[group.size()][];
        all[group.rank()] = mine;
        for (int rank = 0; rank < group.size(); rank++) {
            if (rank != group.rank()) {
                all[rank] = next(rank, purpose);
            }
        }
        for (int rank = 0; rank < group.size(); rank++) {
            if (rank != group.rank()) {
                await(sends[rank], rank, purpose);
            }
        }
        return all;
    }

    /** Tells one other member something, and returns what it told. */
    byte[] exchange(byte[] mine, int peer, String purpose) {
        write(CALL, mine);
        Transfer send = sendMessage(peer, purpose);
        byte[] theirs = next(peer, purpose);
        await(send, peer, purpose);
        return theirs;
    }

    private Transfer sendMessage(int peer, String purpose) {
        return begin(() -> links.send(outbox, peer, MESSAGES), peer, purpose);
    }

    private byte[] next(int rank, String purpose) {
        Transfer transfer = incoming[rank];
        incoming[rank] = null;
        if (transfer == null) {
            throw gone(rank, purpose, null);
        }
        underWay.add(transfer);
        await(transfer, rank, purpose);
        byte[] message = inboxes[rank].toArray().bytes();
        listen(rank);
        checkMessage(rank, message);
        return Arrays.copyOfRange(message, 1, message.length);
    }

    private void write(byte kind, byte[] content) {
        byte[] message = new byte[Math.toIntExact(outbox.size())];
        message[0] = kind;
        System.arraycopy(content, 0, message, 1, Math.min(content.length, message.length - 1));
        outbox.write(NdArray.of(message, message.length));
    }

    private void checkMessage(int rank, byte[] message) {
        if (message[0] == CALL) {
            return;
        }
        String[] parts = new String(message, 1, message.length - 1, UTF_8)
                .replace("\0", "")
                .split("\n", 2);
        if (message[0] == MISMATCHED) {
            throw new MismatchedCallException(parts[1]);
        }
        List<String> lost = parts[0].isEmpty() ? List.of() : List.of(parts[0].split(","));
        throw new MemberLostException(lost, parts[1] + " (said by " + id(rank) + ")");
    }

    Transfer send(Tensor values, int to, String purpose) {
        return begin(() -> links.send(values, to, ELEMENTS), to, purpose);
    }

    Transfer receive(Tensor values, int from, String purpose) {
        return begin(() -> links.receive(values, from, ELEMENTS), from, purpose);
    }

    private Transfer begin(java.util.function.Supplier<Transfer> start, int peer, String purpose) {
        try {
            Transfer transfer = start.get();
            underWay.add(transfer);
            return transfer;
        } catch (TensorException e) {
            throw broken(e, peer, purpose);
        }
    }

    /** Waits for a transfer with a member. */
    void await(Transfer transfer, int peer, String purpose) {
        try {
            patience.check(); // behind adding it to those under way, so that an abort misses none
            if (!transfer.await(NEVER)) {
                patience.check();
                if (patience.left().isZero()) {
                    throw late(peer, purpose, null);
                }
                throw new MemberLostException(List.of(), purpose + " was given up");
            }
        } catch (TensorException e) {
            throw broken(e, peer, purpose);
        } finally {
            underWay.remove(transfer);
        }
    }

    private RuntimeException broken(TensorException e, int peer, String purpose) {
        patience.check();
        RuntimeException said = lastWord(peer);
        if (said != null) {
            return said;
        }
        return patience.left().isZero() ? late(peer, purpose, e) : gone(peer, purpose, e);
    }

    private MemberLostException late(int peer, String purpose, TensorException e) {
        return new MemberLostException(
                List.of(id(peer)),
                id(peer) + " did not take part in " + purpose + " within " + patience.inWords()
                        + (group.size() > 2 ? ", or waited for another member itself" : ""),
                e);
    }

    private MemberLostException gone(int peer, String purpose, TensorException e) {
        return new MemberLostException(
                List.of(id(peer)), id(peer) + " is gone: the connection to it broke during " + purpose, e);
    }

    /** Why a member whose connection broke said it would leave, or null. */
    private RuntimeException lastWord(int rank) {
        try {
            if (incoming[rank] != null && incoming[rank].await(LAST_WORD)) {
                checkMessage(rank, inboxes[rank].toArray().bytes());
            }
            return null;
        } catch (TensorException e) {
            return null;
        } catch (MemberLostException | MismatchedCallException e) {
            return e;
        }
    }

    private String id(int rank) {
        return group.members().get(rank).id();
    }

    /** Lets the others know why this member leaves. */
    void tell(RuntimeException failure) {
        List<String> lost = failure instanceof MemberLostException e ? e.members() : List.of();
        byte kind = failure instanceof MismatchedCallException ? MISMATCHED : LOST_OTHERS;
        write(kind, (String.join(",", lost) + "\n" + failure.getMessage()).getBytes(UTF_8));
        for (int rank = 0; rank < group.size(); rank++) {
            if (rank != group.rank()) {
                try {
                    links.send(outbox, rank, MESSAGES).await(LAST_WORD);
                } catch (TensorException e) {
                    // a member that cannot be reached needs no message
                }
            }
        }
    }

    /** Ends all waiting, by any thread. */
    void wake() {
        underWay.forEach(Transfer::abort);
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(deadline);
        underWay.forEach(Transfer::end);
        for (Transfer transfer : incoming) {
            if (transfer != null) {
                transfer.end();
            }
        }
        links.close();
        outbox.close();
        for (Tensor inbox : inboxes) {
            if (inbox != null) {
                inbox.close();
            }
        }
    }
}
