package dev.tutti.comm;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.time.Duration;

/**
 * What a member was asked.
 *
 * @param from the member that asked
 * @param topic what it is about
 * @param message what was said; its tensors are closed when the request has been answered
 * @param limit how long the member waits for the answer, counted from when it asked
 * @param memory where the tensor of an answer may be written: from there it need not be copied again
 */
public record MessageRequest(Member from, String topic, Message message, Duration limit, AnswerMemory memory) {
    /** Makes tensors for answers, with any elements; they belong to the open scope. */
    @FunctionalInterface
    public interface AnswerMemory {
        Tensor tensor(DType type, Shape shape);
    }

    /** One whose answers lie in memory of this process. */
    public MessageRequest(Member from, String topic, Message message, Duration limit) {
        this(from, topic, message, limit, (type, shape) -> Tensor.empty(shape, type));
    }
}
