package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.MessageTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How much was sent over one link and not yet taken by the other side: the buffer of sends, bounded in messages and bytes. */
final class SendWindow {
    private final Member peer;
    private final MessageLimits limits;
    private int messages;
    private long bytes;
    private String broken;

    SendWindow(Member peer, MessageLimits limits) {
        this.peer = peer;
        this.limits = limits;
    }

    /** Makes room for a message, waiting for it within a limit. */
    synchronized void enter(String topic, long size, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (broken == null && !hasRoom(size)) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new MessageTimeoutException(
                        peer.id(),
                        "send '" + topic + "': " + peer + " has left " + messages + " messages of " + bytes
                                + " bytes untaken for " + limit.toMillis() + " ms");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MessageTimeoutException(
                        peer.id(), "send '" + topic + "': the thread was interrupted while it waited for " + peer);
            }
        }
        if (broken != null) {
            throw new MemberLostException(List.of(peer.id()), "send '" + topic + "': " + peer + " is lost: " + broken);
        }
        messages++;
        bytes += size;
    }

    private boolean hasRoom(long size) {
        return messages == 0 || messages < limits.sends() && bytes + size <= limits.sendBytes();
    }

    /** The other side has taken a message of so many bytes. */
    synchronized void leave(long size) {
        messages--;
        bytes -= size;
        notifyAll();
    }

    synchronized void fail(String why) {
        broken = why;
        notifyAll();
    }
}
