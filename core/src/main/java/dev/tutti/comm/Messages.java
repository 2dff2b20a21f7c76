package dev.tutti.comm;

import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Messages between members that are not in lockstep: servers and those who ask them, stages of a pipeline, observers.
 *
 * <p>May be used by several threads. Every call ends within its limit, and a member that is lost ends the calls that wait for it
 * within milliseconds with a {@link MemberLostException} that names it.
 *
 * <p><b>Who owns the tensors.</b> Tensors that are given to a call stay the caller's and may be closed as soon as it returns:
 * their memory is held for as long as it is needed. Between threads of one JVM the receiver reads that same memory, so its
 * elements must not be changed until the future of {@link #ask} is complete, and not at all after {@link #send} or in an answer.
 * A message that was received belongs to the receiver, which closes it; it may be read, and is not to be written.
 */
public interface Messages extends AutoCloseable {
    /** The member that these are the messages of. */
    Member self();

    /**
     * Answers from now on what members ask about a topic.
     *
     * @throws IllegalStateException if the topic is served already
     */
    void serve(String topic, MessageHandler handler);

    /** Ends {@link #serve}; requests under way are still answered. */
    void withdraw(String topic);

    /**
     * Asks a member, and does not wait. What depends on the future runs on the transport's threads and must not wait either.
     *
     * @return the answer, or {@link MessageRefusedException} if the member refused, {@link MemberLostException} if it was lost and
     *     {@link MessageTimeoutException} if it did not answer within the limit
     */
    default CompletableFuture<Message> ask(Member to, String topic, Message message, Duration limit) {
        return ask(to, topic, message, List.of(), limit);
    }

    /**
     * The same, with an answer whose tensors are written into the memory of these. The answer holds them, and closing it leaves
     * them open. They have to be as many as the answer has, of the same types and sizes, else the future fails; after a failure
     * they may hold anything. An answer without tensors leaves them as they are.
     */
    CompletableFuture<Message> ask(Member to, String topic, Message message, List<Tensor> into, Duration limit);

    /**
     * Sends a message that a member {@linkplain #receive receives} when it comes to it. Returns at once as long as the member has
     * not left more than a bounded number of messages or bytes untaken, else when it has taken some.
     *
     * @throws MessageTimeoutException if it has not within the limit
     * @throws MemberLostException if the member is lost; messages that were sent before may be lost with it
     */
    void send(Member to, String topic, Message message, Duration limit);

    /**
     * The next message that a member has sent about a topic, in the order of sending.
     *
     * @throws MessageTimeoutException if none came within the limit
     * @throws MemberLostException if all connections with the member broke and nothing of it is left to be taken
     */
    Message receive(Member from, String topic, Duration limit);

    /** Breaks off with a member, because it is known to be gone: all that waits for it ends. A later call connects anew. */
    void disconnect(Member member, String why);

    /** Bytes of tensors that were sent and received so far. */
    Traffic traffic();

    /** Whether this member has closed them: failures that are seen from then on say nothing about other members. */
    boolean isClosed();

    /** Ends all connections; what is under way fails. Closing twice does nothing. */
    @Override
    void close();
}
