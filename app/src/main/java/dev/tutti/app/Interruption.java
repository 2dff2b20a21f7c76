package dev.tutti.app;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the first Ctrl-C (or SIGTERM) into a wish to stop, and lets the second one end the process at once.
 *
 * <p>A shutdown hook could wait for the checkpoint as well, but would never hear of the second Ctrl-C. The JDK's class for
 * signals is reached by reflection, as the compiler takes any mention of it for a mistake. Where there is none, Ctrl-C ends
 * the process as it always does, and the last checkpoint on disk counts.
 */
final class Interruption implements BooleanSupplier, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Interruption.class);
    private static final List<String> SIGNALS = List.of("INT", "TERM");

    private final Runnable first;
    private final List<Map.Entry<Object, Object>> before = new ArrayList<>();
    private volatile boolean wanted;

    private Interruption(Runnable first) {
        this.first = first;
    }

    /** Listens from now on; {@code first} is run, on another thread, when the wish is heard for the first time. */
    static Interruption listen(Runnable first) {
        Interruption interruption = new Interruption(first);
        SIGNALS.forEach(interruption::handle);
        return interruption;
    }

    private void handle(String name) {
        try {
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    handlerType.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, args) -> {
                        if (method.getName().equals("handle")) {
                            heard();
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
            before.add(Map.entry(signal, install(signal, handler)));
        } catch (ReflectiveOperationException e) {
            log.debug("SIG{} is not handled: it ends the process as usual", name, e);
        }
    }

    private static Object install(Object signal, Object handler) throws ReflectiveOperationException {
        Method handle =
                signal.getClass().getMethod("handle", signal.getClass(), Class.forName("sun.misc.SignalHandler"));
        return handle.invoke(null, signal, handler);
    }

    private void heard() {
        if (wanted) {
            Runtime.getRuntime().halt(ExitCode.INTERRUPTED.number());
        }
        wanted = true;
        first.run();
    }

    @Override
    public boolean getAsBoolean() {
        return wanted;
    }

    /** Gives the signals back to whom they belonged. */
    @Override
    public void close() {
        for (Map.Entry<Object, Object> entry : before) {
            try {
                install(entry.getKey(), entry.getValue());
            } catch (ReflectiveOperationException e) {
                log.debug("a signal handler was not put back", e);
            }
        }
    }
}
