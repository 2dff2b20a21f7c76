package dev.tutti.cluster.launch;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A signal, such as that of Ctrl-C, that this JVM takes into its own hands until it is closed.
 *
 * <p>The JDK's class for signals is reached by reflection, as the compiler takes any mention of it for a mistake. Where there is
 * none, a signal does what it always does.
 */
public final class HandledSignal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HandledSignal.class);

    private final Object signal; // null where it could not be taken
    private final Object before;

    private HandledSignal(Object signal, Object before) {
        this.signal = signal;
        this.before = before;
    }

    /**
     * From now on the signal does nothing but this.
     *
     * @param name without {@code SIG}, such as {@code INT}
     * @param heard is run on another thread each time it comes
     */
    public static HandledSignal take(String name, Runnable heard) {
        try {
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    handlerType.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, args) -> {
                        if (method.getName().equals("handle")) {
                            heard.run();
                            return null;
                        }
                        return switch (method.getName()) {
                            case "equals" -> proxy == args[0];
                            case "hashCode" -> System.identityHashCode(proxy);
                            default -> "Tutti's handler of " + name;
                        };
                    });
            Object signal = Class.forName("sun.misc.Signal")
                    .getConstructor(String.class)
                    .newInstance(name);
            return new HandledSignal(signal, install(signal, handler));
        } catch (ReflectiveOperationException e) {
            LOG.debug("SIG{} is not handled: it ends the process as usual", name, e);
            return new HandledSignal(null, null);
        }
    }

    private static Object install(Object signal, Object handler) throws ReflectiveOperationException {
        Method handle =
                signal.getClass().getMethod("handle", signal.getClass(), Class.forName("sun.misc.SignalHandler"));
        return handle.invoke(null, signal, handler);
    }

    /** Gives the signal back to whom it belonged. */
    @Override
    public void close() {
        if (signal == null) {
            return;
        }
        try {
            install(signal, before);
        } catch (ReflectiveOperationException e) {
            LOG.debug("a signal handler was not put back", e);
        }
    }
}
