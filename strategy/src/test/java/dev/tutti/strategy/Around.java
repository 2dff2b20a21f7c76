package dev.tutti.strategy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;

/** Stands in front of something real, and does things around the calls of it. */
final class Around {
    private Around() {}

    /** What happens at a call; {@link Call#proceed} makes it. */
    interface Advice {
        Object at(Call call) throws Throwable;
    }

    /** One call. @param arguments may hold null no more than the real one takes it */
    record Call(Object real, Method method, Object... arguments) {
        String name() {
            return method.getName();
        }

        List<Object> given() {
            return arguments == null ? List.of() : List.of(arguments);
        }

        Object proceed() throws Throwable {
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    /** The real thing, with something around each of its calls. */
    static <T> T calls(Class<T> type, T real, Advice advice) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> advice.at(new Call(real, method, arguments))));
    }
}
