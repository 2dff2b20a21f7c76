package dev.tutti.comm;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Objects;

/**
 * What one member tells another outside of collective calls.
 *
 * <p>The tensors of a message that was received belong to the receiver, which {@linkplain #close closes} the message when it has
 * used them. The tensors of a message that is given away stay the giver's: see {@link Messages} for when it may change them.
 *
 * @param term the term that the sender acts under, see {@link Ownership}; 0 where there is none
 * @param sequence the sender's number of this message, by which a repeated one is recognised; 0 where there is none
 * @param head a few bytes that say what the message is about; the array is not copied
 * @param body contiguous tensors in the CPU's memory
 */
@SuppressWarnings(
        "ArrayRecordComponent") // messages are not compared, and a copy of each head would cost more than it gives
public record Message(long term, long sequence, byte[] head, List<Tensor> body) implements AutoCloseable {
    public Message {
        Objects.requireNonNull(head, "head");
        body = List.copyOf(body);
    }

    public static Message of(byte[] head, Tensor... body) {
        return new Message(0, 0, head, List.of(body));
    }

    /** A message whose head is text. */
    public static Message of(String head, Tensor... body) {
        return of(head.getBytes(UTF_8), body);
    }

    /** The same message under a term. */
    public Message term(long number) {
        return new Message(number, sequence, head, body);
    }

    /** The same message with a number. */
    public Message sequence(long number) {
        return new Message(term, number, head, body);
    }

    /** The head as text. */
    public String text() {
        return new String(head, UTF_8);
    }

    /** Closes the tensors of the body. Closing twice does nothing. */
    @Override
    public void close() {
        body.forEach(Tensor::close);
    }

    @Override
    public String toString() {
        return "message(term " + term + ", sequence " + sequence + ", " + head.length + " bytes, " + body + ")";
    }
}
