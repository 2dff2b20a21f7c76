package dev.tutti.tensor;

import java.util.ArrayDeque;
import org.bytedeco.javacpp.PointerScope;

/**
 * Owns the tensors that its thread makes while it is open, and frees them when it closes.
 *
 * <pre>{@code
 * try (Scope step = Scope.open()) {
 *     Tensor loss = ...;          // freed at the end of the block, with everything that led to it
 *     return loss.item();
 * }
 * }</pre>
 *
 * <p>Scopes nest. What must outlive one is handed to the scope around it with {@link #keep}, or to no scope with
 * {@link Tensor#retain}. A tensor made outside of every scope lives until it is closed or the garbage collector finds it. A
 * tensor used after its scope was closed throws; it never takes the JVM down.
 */
public final class Scope implements AutoCloseable {
    private static final ThreadLocal<ArrayDeque<Scope>> OPEN = ThreadLocal.withInitial(ArrayDeque::new);

    private final PointerScope pointers;
    private final Thread owner = Thread.currentThread();
    private boolean closed;

    private Scope() {
        pointers = new PointerScope();
    }

    public static Scope open() {
        Engine.load();
        Scope scope = new Scope();
        OPEN.get().push(scope);
        return scope;
    }

    /** Hands a tensor of this scope to the scope around it; where there is none, the caller closes it. */
    public Tensor keep(Tensor tensor) {
        requireInnermost("keep");
        Scope outer = OPEN.get().stream().skip(1).findFirst().orElse(null);
        var handle = tensor.handle();
        handle.retainReference();
        pointers.detach(handle);
        if (outer != null) {
            outer.pointers.attach(handle);
            handle.releaseReference();
        }
        return tensor;
    }

    /** Frees what was made inside. Closing twice does nothing. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        requireInnermost("close");
        closed = true;
        OPEN.get().pop();
        pointers.close();
    }

    private void requireInnermost(String call) {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException(
                    call + " of a scope on thread " + Thread.currentThread().getName() + ": it was opened by "
                            + owner.getName() + ", and scopes belong to one thread");
        }
        if (closed || OPEN.get().peek() != this) {
            throw new IllegalStateException(
                    call + " of a scope that is not the innermost open one: close inner scopes first "
                            + "(try-with-resources does)");
        }
    }
}
