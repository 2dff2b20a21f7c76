package dev.tutti.cluster.launch;

import dev.tutti.host.HostTuning;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** Runs a program of the user's in a JVM that another one has started, and ends with it. */
public final class UserProgramMain {
    private UserProgramMain() {}

    /** The first argument is the name of the program's main class; the others are its own. */
    public static void main(String[] arguments) throws Throwable {
        HostTuning.apply();
        ParentWatch.hold(System.in);
        Method main = Class.forName(arguments[0]).getMethod("main", String[].class);
        main.setAccessible(true); // as the java command: the class itself need not be public
        try {
            main.invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
