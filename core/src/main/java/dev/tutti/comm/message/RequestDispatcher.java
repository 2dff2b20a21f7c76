package dev.tutti.comm.message;

import dev.tutti.TuttiException;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.MessageRequest;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has requests answered by the handlers of their topics, on threads of its own. */
final class RequestDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(RequestDispatcher.class);

    private final Member self;
    private final MessageLimits limits;
    private final Executor threads;
    private final Map<String, MessageHandler> handlers = new ConcurrentHashMap<>();

    /** Takes the answer to a request. */
    interface Reply {
        void send(MessageLink link, MessageFrame frame);
    }

    RequestDispatcher(Member self, MessageLimits limits, Executor threads) {
        this.self = self;
        this.limits = limits;
        this.threads = threads;
    }

    void serve(String topic, MessageHandler handler) {
        if (handlers.putIfAbsent(topic, handler) != null) {
            throw new IllegalStateException(self + " serves '" + topic + "' already");
        }
    }

    void withdraw(String topic) {
        handlers.remove(topic);
    }

    /** Answers a request, later; refuses it at once if there is no handler or too much to do. */
    void dispatch(MessageLink link, MessagePeer peer, MessageFrame frame, Reply reply) {
        MessageHandler handler = handlers.get(frame.text());
        if (handler == null) {
            refuse(
                    link,
                    frame,
                    reply,
                    MessageRefusedException.UNKNOWN_TOPIC,
                    self + " does not serve it; it serves " + new TreeSet<>(handlers.keySet()));
        } else if (peer.requests().incrementAndGet() > limits.requests()) {
            peer.requests().decrementAndGet();
            refuse(
                    link,
                    frame,
                    reply,
                    MessageRefusedException.BUSY,
                    limits.requests() + " requests of " + link.peer() + " are under way already");
        } else {
            try {
                threads.execute(() -> handle(handler, link, peer, frame, reply));
            } catch (RejectedExecutionException e) {
                peer.requests().decrementAndGet();
                frame.release(); // closed meanwhile
            }
        }
    }

    private void refuse(MessageLink link, MessageFrame frame, Reply reply, String code, String reason) {
        frame.release();
        reply.send(link, MessageFrame.refusal(frame.call(), code, reason));
    }

    private void handle(MessageHandler handler, MessageLink link, MessagePeer peer, MessageFrame frame, Reply reply) {
        MessageRequest request = new MessageRequest(
                link.peer(),
                frame.text(),
                frame.message(),
                Duration.ofMillis(frame.limitMillis()),
                (type, shape) -> link.lend(type, shape).orElseGet(() -> Tensor.empty(shape, type)));
        try (Scope scope = Scope.open()) {
            var unused = handler.handle(request)
                    .whenComplete((answer, failure) -> finish(link, peer, frame, reply, answer, failure));
        } catch (RuntimeException | Error e) {
            finish(link, peer, frame, reply, null, e);
        }
    }

    private void finish(
            MessageLink link, MessagePeer peer, MessageFrame frame, Reply reply, Message answer, Throwable failure) {
        peer.requests().decrementAndGet();
        MessageFrame response;
        try {
            if (failure == null) {
                limits.require(frame.text(), answer);
                response = MessageFrame.of(MessageFrame.Kind.ANSWER, frame.call(), 0, "", answer);
            } else {
                response = refusal(frame, failure);
            }
        } catch (RuntimeException e) {
            response = refusal(frame, e);
        }
        frame.release();
        reply.send(link, response);
    }

    private MessageFrame refusal(MessageFrame frame, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof MessageRefusedException refused) {
            return MessageFrame.refusal(frame.call(), refused.code(), String.valueOf(refused.getMessage()));
        }
        if (!(cause instanceof TuttiException)) {
            LOG.error("{} failed to answer '{}'", self, frame.text(), cause);
        }
        return MessageFrame.refusal(frame.call(), MessageRefusedException.FAILED, "it failed with " + cause);
    }
}
