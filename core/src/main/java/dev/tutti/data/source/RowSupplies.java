package dev.tutti.data.source;

import dev.tutti.data.DataException;
import java.util.Objects;
import java.util.ServiceLoader;

/**
 * The {@link RowSupply} of the place that the running code is in: the thread's own where there is one, otherwise the one of the JVM,
 * otherwise one on the class path ({@link ServiceLoader}). Members that are threads of one JVM have one each; a JVM that is one member
 * has one.
 */
public final class RowSupplies {
    private static final ThreadLocal<RowSupply> OF_THREAD = new ThreadLocal<>();
    private static volatile RowSupply ofJvm;

    private RowSupplies() {}

    /** A supply that was installed; closing it brings the one before back, on the thread that installed it. */
    public interface Installed extends AutoCloseable {
        @Override
        void close();
    }

    /** Supplies the rows of datasets that are opened in this JVM. */
    public static Installed forJvm(RowSupply supply) {
        RowSupply before = ofJvm;
        ofJvm = Objects.requireNonNull(supply, "a supply of rows");
        return () -> ofJvm = before;
    }

    /** Supplies the rows of datasets that are opened by this thread; other threads may read what it opened. */
    public static Installed forThread(RowSupply supply) {
        RowSupply before = OF_THREAD.get();
        OF_THREAD.set(Objects.requireNonNull(supply, "a supply of rows"));
        return () -> {
            if (before == null) {
                OF_THREAD.remove();
            } else {
                OF_THREAD.set(before);
            }
        };
    }

    /** The supply for a source that the calling thread opens. */
    static RowSupply current(String source) {
        RowSupply own = OF_THREAD.get();
        RowSupply supply = own == null ? ofJvm : own;
        if (supply == null) {
            supply = ServiceLoader.load(RowSupply.class).findFirst().orElse(null);
        }
        if (supply == null) {
            throw new DataException("the rows of '" + source
                    + "' are supplied by the place that training runs in, and this place supplies none:"
                    + " install them with RowSupplies.forJvm, or train where they are");
        }
        return supply;
    }
}
