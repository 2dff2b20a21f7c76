package dev.tutti.comm.message;

import dev.tutti.TuttiException;
import dev.tutti.comm.Message;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Tensor;
import java.time.Duration;

/**
 * What a member accepts from others and sends to them.
 *
 * @param headBytes the most bytes of a message's head, with its topic and the shapes of its tensors
 * @param bodyBytes the most bytes of all tensors of a message
 * @param tensors the most tensors of a message
 * @param requests the most requests of one member that are under way at once; more are refused
 * @param sends the most messages that are sent to one member and not yet taken by it
 * @param sendBytes the most bytes of their tensors; a single larger message is let through
 * @param sharedBytes the most bytes of memory that is shared with another member of the same machine for the tensors of messages to it;
 *     what does not fit there goes through the connection
 * @param connections the most connections that others open
 * @param handshake how long a new connection may take until both sides know each other
 * @param stalled how long a connection may stand still in the middle of a message
 */
public record MessageLimits(
        int headBytes,
        long bodyBytes,
        int tensors,
        int requests,
        int sends,
        long sendBytes,
        long sharedBytes,
        int connections,
        Duration handshake,
        Duration stalled) {
    /** Heads of 1 MiB, bodies of 4 GiB, 64 untaken sends of 256 MiB, 1 GiB of shared memory. */
    public static final MessageLimits DEFAULT = new MessageLimits(
            1 << 20,
            4L << 30,
            4096,
            1024,
            64,
            256L << 20,
            1L << 30,
            4096,
            Duration.ofSeconds(5),
            Duration.ofSeconds(10));

    public MessageLimits {
        if (headBytes < 64
                || bodyBytes < 0
                || tensors < 0
                || requests < 1
                || sends < 1
                || sendBytes < 0
                || sharedBytes < 0) {
            throw new IllegalArgumentException("limits of messages must be positive, and heads have 64 bytes or more");
        }
    }

    /**
     * Checks a message before it leaves.
     *
     * @throws TuttiException if it is larger than the limits
     * @throws IllegalArgumentException if a tensor does not lie in one piece in the CPU's memory
     */
    void require(String topic, Message message) {
        long bytes = MessageFrame.bytes(message.body());
        long head = FrameCodec.headBytes(topic, message);
        if (head > headBytes || bytes > bodyBytes || message.body().size() > tensors) {
            throw new TuttiException("a message about '" + topic + "' is too large: expected a head of at most "
                    + headBytes + " bytes, with its topic and shapes, and at most " + tensors + " tensors of "
                    + bodyBytes + " bytes, received " + head + " and "
                    + message.body().size() + " of " + bytes);
        }
        message.body().forEach(tensor -> requireDense(topic, tensor));
    }

    static void requireDense(String topic, Tensor tensor) {
        if (!tensor.device().equals(Device.CPU) || !tensor.isContiguous() || tensor.rank() > FrameCodec.HIGHEST_RANK) {
            throw new IllegalArgumentException(
                    "'" + topic + "' must lie in one piece in the CPU's memory, and have at most "
                            + FrameCodec.HIGHEST_RANK + " axes: " + tensor + " does not; hand over contiguous()");
        }
    }

    public MessageLimits bodyBytes(long most) {
        return new MessageLimits(
                headBytes, most, tensors, requests, sends, sendBytes, sharedBytes, connections, handshake, stalled);
    }

    public MessageLimits headBytes(int most) {
        return new MessageLimits(
                most, bodyBytes, tensors, requests, sends, sendBytes, sharedBytes, connections, handshake, stalled);
    }

    /** At most so many messages, and bytes of tensors, that are sent to a member and not yet taken. */
    public MessageLimits untaken(int messages, long bytes) {
        return new MessageLimits(
                headBytes, bodyBytes, tensors, requests, messages, bytes, sharedBytes, connections, handshake, stalled);
    }

    /** 0: tensors always go through the connection. */
    public MessageLimits sharedBytes(long most) {
        return new MessageLimits(
                headBytes, bodyBytes, tensors, requests, sends, sendBytes, most, connections, handshake, stalled);
    }

    public MessageLimits requests(int most) {
        return new MessageLimits(
                headBytes, bodyBytes, tensors, most, sends, sendBytes, sharedBytes, connections, handshake, stalled);
    }

    public MessageLimits patience(Duration forHandshake, Duration forStalled) {
        return new MessageLimits(
                headBytes,
                bodyBytes,
                tensors,
                requests,
                sends,
                sendBytes,
                sharedBytes,
                connections,
                forHandshake,
                forStalled);
    }
}
