package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/** What one member has sent and this one has not taken yet, by topic, in the order of arrival. */
final class MessageInbox {
    private final String peer;
    private final Map<String, Queue<Arrival>> topics = new HashMap<>();
    private int untaken;
    private String broken;
    private boolean closed;

    /** @param taken tells the sender that there is room again */
    private record Arrival(Message message, Runnable taken) {}

    MessageInbox(String peer) {
        this.peer = peer;
    }

    /** Puts a message behind those before it. @return how many are untaken now */
    synchronized int add(String topic, Message message, Runnable taken) {
        if (closed) {
            message.close();
            return 0;
        }
        topics.computeIfAbsent(topic, name -> new ArrayDeque<>()).add(new Arrival(message, taken));
        notifyAll();
        return ++untaken;
    }

    /** Takes the next message, waiting for it within a limit. */
    Message take(Member from, String topic, Duration limit) {
        Arrival next = next(from, topic, limit);
        next.taken.run();
        return next.message;
    }

    private synchronized Arrival next(Member from, String topic, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            Queue<Arrival> arrived = topics.get(topic);
            if (arrived != null) {
                Arrival next = arrived.remove();
                untaken--;
                if (arrived.isEmpty()) {
                    topics.remove(topic);
                }
                return next;
            }
            if (broken != null) {
                throw new MemberLostException(
                        List.of(peer), "receive '" + topic + "': " + from + " is lost: " + broken);
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new MessageTimeoutException(
                        peer, "receive '" + topic + "': " + from + " sent nothing within " + limit.toMillis() + " ms");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MessageTimeoutException(
                        peer, "receive '" + topic + "': the thread was interrupted while it waited for " + from);
            }
        }
    }

    /** The member is connected. */
    synchronized void connected() {
        broken = null;
    }

    /** No connection with the member is left: who waits for more waits in vain. */
    synchronized void disconnected(String why) {
        broken = why;
        notifyAll();
    }

    /** Lets go of everything that was not taken. */
    synchronized void close(String why) {
        closed = true;
        disconnected(why);
        topics.values().forEach(arrived -> arrived.forEach(arrival -> arrival.message.close()));
        topics.clear();
    }
}
