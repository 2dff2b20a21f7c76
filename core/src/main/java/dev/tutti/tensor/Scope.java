package dev.tutti.tensor;

import java.util.ArrayDeque;
import java.util.Iterator;
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
    private boolean aside;

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

    /**
     * Takes this scope, the innermost one, off its thread: what was made inside lives until {@link #close}, which may then come in any
     * order, and what is made from now on belongs to the scope around it. For passes that overlap, as those of a pipeline do.
     */
    public Scope setAside() {
        requireInnermost("setAside");
        OPEN.get().pop();
        Iterator<PointerScope> open = PointerScope.getScopeIterator();
        while (open != null && open.hasNext()) {
            if (open.next() == pointers) {
                open.remove();
                break;
            }
        }
        aside = true;
        return this;
    }

    /** Frees what was made inside. Closing twice does nothing. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (!aside) {
            requireInnermost("close");
            OPEN.get().pop();
        }
        closed = true;
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
