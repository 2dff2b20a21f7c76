package dev.tutti.comm;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Answers what other members ask about one topic.
 *
 * <p>It is called by several threads at once, in any order. A {@link dev.tutti.tensor.Scope} is open around the call, so tensors
 * that it makes and does not retain are freed when it returns. An answer that takes time, because it waits for other members,
 * is a future that is completed later by any thread.
 */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Answers a request. The elements of the answer must not be changed any more; a handler that goes on changing them answers
     * with a copy.
     *
     * @throws MessageRefusedException if it is not done; the asking member gets its code and its reason
     */
    CompletionStage<Message> handle(MessageRequest request);

    /**
     * The same for the holder of a thing: requests under an older term are refused, and so are all under a newer one, since this
     * member is not the holder any more.
     *
     * @param term the term under which this member holds the thing, as far as it knows
     */
    default MessageHandler underTerm(LongSupplier term) {
        return request -> {
            long mine = term.getAsLong();
            long theirs = request.message().term();
            if (theirs < mine) {
                throw new MessageRefusedException(
                        MessageRefusedException.OLD_TERM, "term " + theirs + " is over, the present one is " + mine);
            }
            if (theirs > mine) {
                throw new MessageRefusedException(
                        MessageRefusedException.FENCED,
                        "this member knows term " + mine + " only, and " + theirs + " has begun");
            }
            return handle(request);
        };
    }

    /** A handler that has its answer at once. */
    static MessageHandler of(Function<MessageRequest, Message> answer) {
        return request -> CompletableFuture.completedFuture(answer.apply(request));
    }
}
