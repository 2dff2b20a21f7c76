package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Another member, as one exchange knows it: the links with it, what it has sent, and how many of its requests are under way.
 *
 * <p>Two members that connect with each other at the same time have two links; each goes on with the first it has.
 */
final class MessagePeer {
    private final Member member;
    private final MessageLimits limits;
    private final MessageInbox inbox;
    private final AtomicInteger requests = new AtomicInteger();
    private final ReentrantLock connecting = new ReentrantLock();
    private final Map<MessageLink, SendWindow> links = new LinkedHashMap<>();
    private volatile String gone;

    /** Opens a link where there is none. */
    interface Connector {
        MessageLink connect(Duration limit);
    }

    MessagePeer(Member member, MessageLimits limits) {
        this.member = member;
        this.limits = limits;
        this.inbox = new MessageInbox(member.id());
    }

    Member member() {
        return member;
    }

    /** Whether there is a link with it, or a thread is opening one. */
    boolean isInTouch() {
        return connecting.isLocked() || link().isPresent();
    }

    MessageInbox inbox() {
        return inbox;
    }

    /** Requests of this member that are under way. */
    AtomicInteger requests() {
        return requests;
    }

    /** The member is gone for good. */
    void giveUp(String why) {
        gone = why;
    }

    /** Why the member is gone for good, if it is. */
    Optional<String> gone() {
        return Optional.ofNullable(gone);
    }

    synchronized void add(MessageLink link) {
        links.put(link, new SendWindow(link.peer(), limits));
        inbox.connected();
    }

    /** The link is no more. */
    synchronized void remove(MessageLink link, String why) {
        SendWindow window = links.remove(link);
        if (window != null) {
            window.fail(why);
        }
        if (links.isEmpty()) {
            inbox.disconnected(why);
        }
    }

    synchronized List<MessageLink> links() {
        return new ArrayList<>(links.keySet());
    }

    /** A link that is open. */
    synchronized Optional<MessageLink> link() {
        return links.keySet().stream().findFirst();
    }

    synchronized Optional<SendWindow> window(MessageLink link) {
        return Optional.ofNullable(links.get(link));
    }

    /** A link, opened if there is none; of several threads one opens it. */
    MessageLink connected(Member to, Connector connector, Duration limit) {
        Optional<MessageLink> open = link();
        if (open.isPresent()) {
            return open.get();
        }
        long deadline = System.nanoTime() + limit.toNanos();
        boolean mine = false;
        try {
            mine = connecting.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS);
            open = link();
            if (open.isPresent()) {
                return open.get();
            }
            if (mine) {
                return connector.connect(Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (mine) {
                connecting.unlock();
            }
        }
        throw new MemberLostException(
                List.of(to.id()), to + " could not be reached within " + limit.toMillis() + " ms");
    }
}
