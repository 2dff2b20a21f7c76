package dev.tutti.data.transform;

import dev.tutti.data.DataException;
import dev.tutti.json.Json;

/** Tells definitions that have a name in files from lambdas and other things that live in this JVM only. */
public final class NamedKind {
    private NamedKind() {}

    /** The value, if it can be written; otherwise an error that names what is missing. */
    public static <T> T require(Class<T> base, T value, String stage) {
        if (value == null || Json.name(value.getClass()).isPresent()) {
            return value;
        }
        if (isLambda(value.getClass())) {
            throw new DataException(stage + "(...) holds a lambda: give it a named " + base.getSimpleName()
                    + " to write this dataset to a file");
        }
        String name = value.getClass().getSimpleName();
        throw new DataException(
                stage + "(...) holds a " + value.getClass().getName() + ", which has no name in files: call"
                        + " Json.register(" + name + ".class, \"" + decapitalised(name) + "\") first");
    }

    /** What a person calls it: its own text when it has one, otherwise its class, or {@code lambda}. */
    public static String label(Object value) {
        if (isLambda(value.getClass())) {
            return "lambda";
        }
        String text = value.toString();
        return text.equals(value.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(value)))
                ? decapitalised(value.getClass().getSimpleName())
                : text;
    }

    private static boolean isLambda(Class<?> kind) {
        return kind.isHidden() || kind.isSynthetic() || kind.isAnonymousClass();
    }

    static String decapitalised(String name) {
        return name.isEmpty() ? name : Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }
}
