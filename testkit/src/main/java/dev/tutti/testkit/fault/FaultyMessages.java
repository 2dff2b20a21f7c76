package dev.tutti.testkit.fault;

import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageTimeoutException;
import dev.tutti.comm.Messages;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.Tensor;
import dev.tutti.testkit.fault.MessageFaults.Mishap;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Disturbs the messages of a member: they come late, twice or not at all, their answers are lost, or the connection breaks.
 *
 * <p>A request that was lost, or whose answer was, fails at its limit, as it does where a network loses it.
 */
public final class FaultyMessages implements Messages {
    private final Messages inner;
    private final Disturbance disturbance;

    /** Says what happens to the next message. */
    @FunctionalInterface
    public interface Disturbance {
        Mishap next(Member to, String topic);
    }

    public FaultyMessages(Messages inner, Disturbance disturbance) {
        this.inner = inner;
        this.disturbance = disturbance;
    }

    /** Disturbed as drawn, in a sequence of the member's own. */
    public static FaultyMessages of(Messages inner, MessageFaults mishaps) {
        return new FaultyMessages(
                inner, (to, topic) -> mishaps.next(inner.self().id(), "messages"));
    }

    @Override
    public CompletableFuture<Message> ask(Member to, String topic, Message message, List<Tensor> into, Duration limit) {
        Mishap mishap = disturbance.next(to, topic);
        return switch (mishap.kind()) {
            case NONE -> inner.ask(to, topic, message, into, limit);
            case DELAYED -> {
                pause(mishap.millis());
                yield inner.ask(to, topic, message, into, limit);
            }
            case DROPPED -> lost(to, "the request '" + topic + "'", limit);
            case ANSWER_DROPPED -> {
                var unused = inner.ask(to, topic, message, limit).thenAccept(Message::close);
                yield lost(to, "the answer to '" + topic + "'", limit);
            }
            case DUPLICATED -> {
                var unused = inner.ask(to, topic, message, limit).thenAccept(Message::close);
                yield inner.ask(to, topic, message, into, limit);
            }
            case CUT -> {
                CompletableFuture<Message> answer = inner.ask(to, topic, message, into, limit);
                inner.disconnect(to, "its connection was cut on purpose");
                yield answer;
            }
        };
    }

    private static CompletableFuture<Message> lost(Member to, String what, Duration limit) {
        return new CompletableFuture<Message>()
                .orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof TimeoutException
                                ? new MessageTimeoutException(
                                        to.id(), to + ": " + what + " was lost on purpose, within " + limit)
                                : failure));
    }

    @Override
    public void send(Member to, String topic, Message message, Duration limit) {
        Mishap mishap = disturbance.next(to, topic);
        switch (mishap.kind()) {
            case NONE, ANSWER_DROPPED -> inner.send(to, topic, message, limit);
            case DELAYED -> {
                pause(mishap.millis());
                inner.send(to, topic, message, limit);
            }
            case DROPPED -> {}
            case DUPLICATED -> {
                inner.send(to, topic, message, limit);
                inner.send(to, topic, message, limit);
            }
            case CUT -> {
                inner.disconnect(to, "its connection was cut on purpose");
                inner.send(to, topic, message, limit);
            }
        }
    }

    private static void pause(int millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Member self() {
        return inner.self();
    }

    @Override
    public void serve(String topic, MessageHandler handler) {
        inner.serve(topic, handler);
    }

    @Override
    public void withdraw(String topic) {
        inner.withdraw(topic);
    }

    @Override
    public Message receive(Member from, String topic, Duration limit) {
        return inner.receive(from, topic, limit);
    }

    @Override
    public void disconnect(Member member, String why) {
        inner.disconnect(member, why);
    }

    @Override
    public Traffic traffic() {
        return inner.traffic();
    }

    @Override
    public boolean isClosed() {
        return inner.isClosed();
    }

    @Override
    public void close() {
        inner.close();
    }
}
