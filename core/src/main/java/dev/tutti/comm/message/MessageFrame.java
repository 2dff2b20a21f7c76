package dev.tutti.comm.message;

import dev.tutti.comm.Message;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * One unit that travels over a link. It owns handles of its tensors, which share the memory of those it was made from.
 *
 * @param call the number of the request, chosen by the asking side; 0 for what is not about one
 * @param text the topic of a request or send; the code and the reason of a refusal, apart by a line feed
 * @param limitMillis how long the asking side waits
 */
@SuppressWarnings("ArrayRecordComponent") // frames are not compared
public record MessageFrame(
        Kind kind, long call, long term, long sequence, long limitMillis, String text, byte[] head, List<Tensor> body) {
    private static final byte[] NO_HEAD = {};
    /** In characters. */
    private static final int LONGEST_REASON = 1000;

    /** What a frame is; the order is that of the wire. */
    public enum Kind {
        REQUEST,
        ANSWER,
        REFUSAL,
        SEND,
        /** The other side has taken a send: {@code call} is the number of its bytes. */
        TAKEN,
        /** One side has made memory for the tensors of its messages: {@code call} is its number, {@code text} its name. */
        SHARE,
        /** The other side has mapped it, or could not: {@code call} is its number, {@code term} 1 or 0. */
        SHARED
    }

    /** A frame that shares the memory of a message's tensors, which stay their owner's. */
    static MessageFrame of(Kind kind, long call, long limitMillis, String text, Message message) {
        return new MessageFrame(
                kind,
                call,
                message.term(),
                message.sequence(),
                limitMillis,
                text,
                message.head(),
                shared(message.body()));
    }

    static MessageFrame refusal(long call, String code, String reason) {
        String text = code + "\n" + reason.substring(0, Math.min(reason.length(), LONGEST_REASON));
        return new MessageFrame(Kind.REFUSAL, call, 0, 0, 0, text, NO_HEAD, List.of());
    }

    static MessageFrame taken(long bytes) {
        return new MessageFrame(Kind.TAKEN, bytes, 0, 0, 0, "", NO_HEAD, List.of());
    }

    static MessageFrame share(int number, String name) {
        return new MessageFrame(Kind.SHARE, number, 0, 0, 0, name, NO_HEAD, List.of());
    }

    static MessageFrame shared(long number, boolean mapped) {
        return new MessageFrame(Kind.SHARED, number, mapped ? 1 : 0, 0, 0, "", NO_HEAD, List.of());
    }

    private static List<Tensor> shared(List<Tensor> tensors) {
        List<Tensor> handles = new ArrayList<>(tensors.size());
        try (NoGradients off = NoGradients.begin()) {
            for (Tensor tensor : tensors) {
                handles.add(tensor.detach().retain());
            }
            return handles;
        } catch (RuntimeException e) {
            handles.forEach(Tensor::close);
            throw e;
        }
    }

    /** The message in it, which owns the frame's tensors from now on. */
    Message message() {
        return new Message(term, sequence, head, body);
    }

    static long bytes(List<Tensor> tensors) {
        long bytes = 0;
        for (Tensor tensor : tensors) {
            bytes += tensor.size() * tensor.type().bytes();
        }
        return bytes;
    }

    /** Lets go of the tensors of a frame that is of no more use. */
    void release() {
        body.forEach(Tensor::close);
    }
}
