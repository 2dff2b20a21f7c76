package dev.tutti.tensor;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.PointerConsumer;
import org.bytedeco.pytorch.global.torch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tensors over memory that has another owner, which is told when the last tensor that shares it is closed.
 *
 * <p>One native function serves all of them: the engine keeps what a function object of its own would cost for ever.
 */
final class BorrowedMemory {
    private static final Logger LOG = LoggerFactory.getLogger(BorrowedMemory.class);
    private static final Map<Long, Runnable> OWNERS = new ConcurrentHashMap<>();
    private static final GiveBack GIVE_BACK = new GiveBack();

    private BorrowedMemory() {}

    /** @param start where the elements begin; no other tensor of this kind that is alive begins there */
    static Tensor tensor(BytePointer start, DType type, Shape shape, Runnable released) {
        long address = start.address();
        if (OWNERS.putIfAbsent(address, released) != null) {
            throw new IllegalStateException("the memory at " + address + " is borrowed already");
        }
        try {
            return NativeConversions.op(
                    "tensor",
                    () -> torch.from_blob(
                            start, shape.toArray(), GIVE_BACK, NativeConversions.options(type, Device.CPU)));
        } catch (RuntimeException e) {
            OWNERS.remove(address);
            throw e;
        }
    }

    /** Called by the engine, on any thread. */
    private static final class GiveBack extends PointerConsumer {
        GiveBack() {
            retainReference(); // made within the scope that happens to come first, and not freed with it
        }

        @Override
        public void call(Pointer start) {
            try {
                Runnable released = OWNERS.remove(start.address());
                if (released != null) {
                    released.run();
                }
            } catch (RuntimeException e) { // must not reach the engine, which would end the process
                LOG.error("Borrowed memory could not be given back", e);
            }
        }
    }
}
