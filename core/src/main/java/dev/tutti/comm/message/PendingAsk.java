package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A request that waits for its answer. Exactly one of answer, refusal, loss and deadline ends it: the one that {@linkplain #claim
 * claims} it.
 */
final class PendingAsk {
    private final Member to;
    private final String topic;
    private final List<Tensor> into;
    private final CompletableFuture<Message> answer = new CompletableFuture<>();
    private final AtomicBoolean claimed = new AtomicBoolean();
    private volatile List<Tensor> beingWritten = List.of();
    private volatile MessageLink link;
    private volatile Future<?> alarm;

    /** @param into where the answer is to be written; none if it makes tensors of its own */
    PendingAsk(Member to, String topic, List<Tensor> into) {
        this.to = to;
        this.topic = topic;
        this.into = handles(into);
    }

    private static List<Tensor> handles(List<Tensor> tensors) {
        return tensors.stream().map(tensor -> tensor.detach().retain()).toList();
    }

    Member to() {
        return to;
    }

    CompletableFuture<Message> answer() {
        return answer;
    }

    /** The link that the request took; null before. */
    MessageLink link() {
        return link;
    }

    void link(MessageLink way) {
        link = way;
    }

    void alarm(Future<?> atDeadline) {
        alarm = atDeadline;
        if (answer.isDone()) {
            atDeadline.cancel(false);
        }
    }

    /** Takes the right to end this; false if something else has it. */
    boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    /** The memory that a link writes the answer to, which from then on is the only one to end this; none if that is not wanted. */
    List<Tensor> claimDestinations() {
        if (!into.isEmpty() && claim()) {
            beingWritten = handles(into);
        }
        return beingWritten;
    }

    /** Ends it with an answer. */
    void complete(MessageFrame frame) {
        boolean mine = !beingWritten.isEmpty() || claim();
        if (!mine) {
            frame.release(); // the deadline or a loss came first
            return;
        }
        stop();
        if (into.isEmpty() || frame.body().isEmpty()) {
            into.forEach(Tensor::close);
            deliver(frame.message());
            return;
        }
        try {
            boolean inPlace = frame.body() == beingWritten;
            deliver(inPlace ? frame.message() : copied(frame));
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
        } finally {
            into.forEach(Tensor::close);
        }
    }

    private void deliver(Message message) {
        if (!answer.complete(message)) {
            message.close(); // the caller has cancelled it
        }
    }

    private Message copied(MessageFrame frame) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<Tensor> received = frame.body();
            boolean fits = received.size() == into.size();
            for (int i = 0; fits && i < into.size(); i++) {
                fits = received.get(i).type() == into.get(i).type()
                        && received.get(i).size() == into.get(i).size();
            }
            if (!fits) {
                throw new MessageRefusedException(
                        MessageRefusedException.FAILED,
                        "the answer of " + to + " to '" + topic + "' does not fit: expected " + into + ", received "
                                + received);
            }
            for (int i = 0; i < into.size(); i++) {
                into.get(i).view(-1).copy_(received.get(i).view(-1));
            }
            return new Message(frame.term(), frame.sequence(), frame.head(), handles(into));
        } finally {
            frame.release();
        }
    }

    /** Ends it with a failure, if nothing else has. @return whether this did */
    boolean fail(RuntimeException why) {
        return claim() && failClaimed(why);
    }

    /** The link that was writing the answer broke. */
    void failWritten(RuntimeException why) {
        if (!beingWritten.isEmpty()) {
            failClaimed(why);
        } else {
            fail(why);
        }
    }

    private boolean failClaimed(RuntimeException why) {
        stop();
        into.forEach(Tensor::close);
        answer.completeExceptionally(why);
        return true;
    }

    private void stop() {
        Future<?> waiting = alarm;
        if (waiting != null) {
            waiting.cancel(false);
        }
    }

    @Override
    public String toString() {
        return "'" + topic + "' to " + to;
    }
}
