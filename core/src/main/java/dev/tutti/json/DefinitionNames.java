package dev.tutti.json;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The names that classes of definitions have in files: those listed at their base type, those of Tutti's other modules, and those
 * that the user has registered.
 */
final class DefinitionNames {
    private final Map<Class<?>, String> ofModules = new ConcurrentHashMap<>();
    private final Map<Class<?>, String> registered = new ConcurrentHashMap<>();

    DefinitionNames() {
        ServiceLoader.load(Definitions.class, DefinitionNames.class.getClassLoader())
                .forEach(module -> ofModules.putAll(module.named()));
    }

    void register(Class<?> definition, String name) {
        requireReadable(definition);
        for (Class<?> base : bases(definition)) {
            Class<?> other = named(base, name);
            if (other != null && other != definition) {
                throw new ConfigException("Json.register(" + definition.getSimpleName() + ".class, \"" + name
                        + "\"): the name belongs to " + other.getName() + ": choose another");
            }
        }
        registered.put(definition, name);
    }

    /** A class whose objects could be written but not read back is refused before it costs a training. */
    private static void requireReadable(Class<?> definition) {
        String problem = "";
        if (definition.isAnonymousClass() || definition.isLocalClass() || definition.isHidden()) {
            problem = "it is written inside a method";
        } else if (definition.isMemberClass() && !Modifier.isStatic(definition.getModifiers())) {
            problem = "it is an inner class without 'static'";
        } else if (Modifier.isAbstract(definition.getModifiers())) {
            problem = "it is abstract";
        } else if (!definition.isRecord() && !definition.isEnum() && !hasCreator(definition)) {
            problem = "it has no constructor without arguments";
        }
        if (!problem.isEmpty()) {
            throw new ConfigException(definition.getName() + " cannot be read from a file: " + problem
                    + "; expected a class of its own with plain fields and a constructor without arguments"
                    + " (private will do), or a record");
        }
    }

    private static boolean hasCreator(Class<?> definition) {
        return Arrays.stream(definition.getDeclaredConstructors()).anyMatch(each -> each.getParameterCount() == 0)
                || Stream.<AccessibleObject>concat(
                                Arrays.stream(definition.getDeclaredConstructors()),
                                Arrays.stream(definition.getDeclaredMethods()))
                        .anyMatch(each -> each.isAnnotationPresent(JsonCreator.class));
    }

    Map<Class<?>, String> registered() {
        return Map.copyOf(registered);
    }

    /** All that were not listed at their base type. */
    Map<Class<?>, String> all() {
        Map<Class<?>, String> all = new ConcurrentHashMap<>(ofModules);
        all.putAll(registered);
        return all;
    }

    /** The names that may stand where a definition of this base type is expected. */
    TreeSet<String> of(Class<?> base) {
        TreeSet<String> names = new TreeSet<>();
        listed(base).forEach(type -> names.add(type.name()));
        all().forEach((type, name) -> {
            if (base.isAssignableFrom(type)) {
                names.add(name);
            }
        });
        return names;
    }

    /**
     * Requires that a definition can be read back once it is written.
     *
     * @throws ConfigException if its class has no name; it says the line that gives it one
     */
    void require(Object definition) {
        Class<?> type = definition.getClass();
        Set<Class<?>> bases = bases(type);
        boolean known = registered.containsKey(type)
                || ofModules.containsKey(type)
                || bases.stream().flatMap(DefinitionNames::listed).anyMatch(each -> each.value() == type);
        if (known) {
            return;
        }
        String kind = bases.isEmpty()
                ? "definition"
                : bases.iterator().next().getSimpleName().toLowerCase(java.util.Locale.ROOT);
        if (type.isHidden() || type.isSynthetic() || type.isAnonymousClass() || type.isLocalClass()) {
            throw new ConfigException("the " + kind + " " + type.getName() + " cannot be saved or sent to another JVM,"
                    + " since it is a lambda or a class inside a method: make it a class of its own and call"
                    + " Json.register(TheClass.class, \"theName\") before training");
        }
        String name = type.getSimpleName();
        throw new ConfigException(
                "the " + kind + " " + type.getName() + " has no name in files, so it can neither be saved"
                        + " nor sent to another JVM: call Json.register(" + name + ".class, \""
                        + Character.toLowerCase(name.charAt(0)) + name.substring(1) + "\") before training");
    }

    private Class<?> named(Class<?> base, String name) {
        return Stream.concat(
                        listed(base).filter(type -> type.name().equals(name)).map(JsonSubTypes.Type::value),
                        all().entrySet().stream()
                                .filter(each -> each.getValue().equals(name) && base.isAssignableFrom(each.getKey()))
                                .map(Map.Entry::getKey))
                .findFirst()
                .orElse(null);
    }

    private static Stream<JsonSubTypes.Type> listed(Class<?> base) {
        JsonSubTypes types = base.getAnnotation(JsonSubTypes.class);
        return types == null ? Stream.empty() : Arrays.stream(types.value());
    }

    /** The base types of definitions that a class extends or implements. */
    private static Set<Class<?>> bases(Class<?> type) {
        Set<Class<?>> bases = new LinkedHashSet<>();
        List<Class<?>> open = new ArrayList<>(List.of(type));
        while (!open.isEmpty()) {
            Class<?> next = open.remove(0);
            if (Arrays.stream(next.getDeclaredAnnotations()).anyMatch(JsonTypeInfo.class::isInstance)) {
                bases.add(next);
            }
            open.addAll(Arrays.asList(next.getInterfaces()));
            if (next.getSuperclass() != null) {
                open.add(next.getSuperclass());
            }
        }
        return bases;
    }
}
