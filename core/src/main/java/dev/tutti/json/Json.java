package dev.tutti.json;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.tutti.DidYouMean;
import dev.tutti.FileKind;
import dev.tutti.TuttiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Reads and writes definitions: fields only, unknown keys refused, absent values left out.
 *
 * <p>Errors carry file, line and column, and the nearest word that would have been right.
 */
public final class Json {
    private static final DefinitionNames NAMES = new DefinitionNames();

    private static final Map<String, String> RECEIVED = Map.of(
            "from Array value", "a list",
            "from Object value", "keys and values",
            "from String value", "text",
            "from Integer value", "a number",
            "from Floating-point value", "a number with a fraction",
            "from Boolean value", "true or false",
            "from Null value", "nothing",
            "end-of-input", "nothing");
    private static volatile ObjectMapper json = mapper(new JsonFactory());
    private static volatile ObjectMapper yaml = mapper(yamlFactory());

    private Json() {}

    /** The mapper for JSON, with Tutti's conventions. */
    public static ObjectMapper json() {
        return json;
    }

    /** The mapper for YAML, with the same conventions. */
    public static ObjectMapper yaml() {
        return yaml;
    }

    /**
     * Gives a user's own layer, metric, transform, loss or other definition the name it has in files. Call it once, before
     * training and before such a file is read; workers in other JVMs are told.
     *
     * @throws ConfigException if the class could not be read back, or if the name belongs to another definition of its kind
     */
    public static synchronized void register(Class<?> definition, String name) {
        NAMES.register(definition, name);
        json = mapper(new JsonFactory());
        yaml = mapper(yamlFactory());
    }

    /** The classes that {@link #register} was called for, with their names. */
    public static Map<Class<?>, String> registered() {
        return NAMES.registered();
    }

    /** The name that a definition's class has in files, if it has one. */
    public static Optional<String> name(Class<?> definition) {
        return Optional.ofNullable(NAMES.all().get(definition));
    }

    static DefinitionNames names() {
        return NAMES;
    }

    public static String write(Object definition) {
        return writeWith(json, definition);
    }

    public static String writeYaml(Object definition) {
        return writeWith(yaml, definition);
    }

    /** Reads JSON; {@code where} names the text in error messages. */
    public static <T> T read(String text, Class<T> type, String where) {
        return readWith(json, text, type, where);
    }

    /** Reads YAML (of which JSON is a part); {@code where} names the text in error messages. */
    public static <T> T readYaml(String text, Class<T> type, String where) {
        return readWith(yaml, text, type, where);
    }

    /** Reads a file: YAML when it is named so, otherwise JSON. */
    public static <T> T read(Path file, Class<T> type) {
        String name = file.toString();
        ObjectMapper mapper = name.endsWith(".yaml") || name.endsWith(".yml") ? yaml : json;
        try {
            return readWith(mapper, Files.readString(FileKind.require(file)), type, name);
        } catch (NoSuchFileException e) {
            throw new ConfigException(name + ": there is no such file", e);
        } catch (IOException e) {
            throw new ConfigException(name + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * A definition as a tree.
     *
     * @throws ConfigException if a class in it has no name in files
     */
    public static <T extends JsonNode> T tree(Object definition) {
        try {
            return json.valueToTree(definition);
        } catch (IllegalArgumentException e) {
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                if (cause instanceof TuttiException known) {
                    throw known;
                }
            }
            throw e;
        }
    }

    /** A tree read or built by hand, made into a definition. */
    public static <T> T convert(JsonNode tree, Class<T> type, String where) {
        try {
            return json.treeToValue(tree, type);
        } catch (JsonProcessingException e) {
            throw explain(e, where, Places.unknown(where));
        }
    }

    private static <T> T readWith(ObjectMapper mapper, String text, Class<T> type, String where) {
        try {
            T value = mapper.readValue(text, type);
            if (value == null) {
                throw new ConfigException(where + ": is empty");
            }
            return value;
        } catch (JsonProcessingException e) {
            throw explain(e, where, Places.of(mapper, text, where));
        }
    }

    private static String writeWith(ObjectMapper mapper, Object definition) {
        try {
            return mapper.writeValueAsString(definition);
        } catch (JsonProcessingException e) {
            if (e.getCause() instanceof TuttiException known) {
                throw known;
            }
            throw new IllegalArgumentException(
                    definition.getClass().getName() + " cannot be written as a definition: " + e.getOriginalMessage(),
                    e);
        }
    }

    private static ConfigException explain(JsonProcessingException e, String where, Places places) {
        JsonLocation at = e.getLocation();
        String place = at == null || at.getLineNr() < 1 ? where : where + ":" + at.getLineNr() + ":" + at.getColumnNr();
        String path = "";
        if (e instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
            String key = places.at(pointer(mapping, places)); // where the parser stopped is often a line or two later
            place = key.equals(where) ? place : key;
            path = path(mapping);
        }
        return new ConfigException(place + ": " + path + sentence(e), e);
    }

    private static String pointer(JsonMappingException e, Places places) {
        String pointer = e.getPath().stream()
                .map(ref -> ref.getFieldName() == null
                        ? "/" + ref.getIndex()
                        : "/" + ref.getFieldName().replace("~", "~0").replace("/", "~1"))
                .collect(Collectors.joining());
        String type = pointer + "/type";
        return e instanceof InvalidTypeIdException && places.has(type) ? type : pointer;
    }

    private static String sentence(JsonProcessingException e) {
        if (e instanceof UnrecognizedPropertyException unknown) {
            List<String> known = unknown.getKnownPropertyIds().stream()
                    .map(Object::toString)
                    .sorted()
                    .toList();
            return "unknown key '" + unknown.getPropertyName() + "'"
                    + DidYouMean.hint(unknown.getPropertyName(), known);
        }
        if (e instanceof InvalidTypeIdException type) {
            TreeSet<String> known = NAMES.of(type.getBaseType().getRawClass());
            String kind = word(type.getBaseType().getRawClass());
            return type.getTypeId() == null
                    ? "the " + kind + " has no 'type': expected one of " + String.join(", ", known)
                    : "unknown " + kind + " '" + type.getTypeId() + "'" + DidYouMean.hint(type.getTypeId(), known);
        }
        if (e instanceof InvalidFormatException format) {
            Class<?> target = format.getTargetType();
            String value = String.valueOf(format.getValue());
            if (target.isEnum()) {
                List<String> known = Arrays.stream(target.getEnumConstants())
                        .map(Object::toString)
                        .toList();
                return "unknown value '" + value + "'" + DidYouMean.hint(value, known);
            }
            return "expected " + word(target) + ", received '" + value + "'";
        }
        if (e instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
            return "expected " + word(mismatch.getTargetType()) + ", received " + received(mismatch);
        }
        return firstLine(e);
    }

    /** What stood there instead; the reader's own message knows it, but names Java classes. */
    private static String received(MismatchedInputException e) {
        String message = firstLine(e);
        return RECEIVED.entrySet().stream()
                .filter(known -> message.contains(known.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("something else: " + message);
    }

    private static String firstLine(JsonProcessingException e) {
        Throwable cause = e.getCause();
        String message = cause != null && !(cause instanceof IOException) ? cause.getMessage() : e.getOriginalMessage();
        return message == null
                ? e.getClass().getSimpleName()
                : message.lines()
                        .findFirst()
                        .orElse("")
                        .replaceFirst("^Duplicate field ('.*')$", "the key $1 is there twice");
    }

    private static String path(JsonMappingException e) {
        String path = e.getPath().stream()
                .map(ref -> ref.getFieldName() == null ? "[" + ref.getIndex() + "]" : "." + ref.getFieldName())
                .collect(Collectors.joining());
        if (e instanceof UnrecognizedPropertyException unknown) {
            path = path.substring(
                    0, Math.max(0, path.length() - unknown.getPropertyName().length() - 1));
        }
        return path.isEmpty() ? "" : (path.startsWith(".") ? path.substring(1) : path) + ": ";
    }

    private static String word(Class<?> type) {
        if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
            return "a whole number";
        }
        if (type == double.class || type == float.class || type == Double.class || type == Float.class) {
            return "a number";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (List.class.isAssignableFrom(type) || type.isArray()) {
            return "a list";
        }
        return type.getSimpleName().toLowerCase(java.util.Locale.ROOT);
    }

    private static JsonFactory yamlFactory() {
        return YAMLFactory.builder()
                .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                .disable(YAMLGenerator.Feature.USE_NATIVE_TYPE_ID)
                .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
                .build();
    }

    private static ObjectMapper mapper(JsonFactory factory) {
        ObjectMapper mapper = new ObjectMapper(factory)
                .registerModule(new Jdk8Module())
                .setVisibility(PropertyAccessor.ALL, Visibility.NONE)
                .setVisibility(PropertyAccessor.FIELD, Visibility.ANY)
                .setVisibility(PropertyAccessor.CREATOR, Visibility.PUBLIC_ONLY)
                .setDefaultPropertyInclusion(JsonInclude.Include.NON_ABSENT)
                .enable(SerializationFeature.INDENT_OUTPUT)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT);
        mapper.getFactory().configure(StreamReadFeature.STRICT_DUPLICATE_DETECTION.mappedFeature(), true);
        mapper.getFactory().configure(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION.mappedFeature(), false);
        NAMES.all().forEach((type, name) -> mapper.registerSubtypes(new NamedType(type, name)));
        return mapper;
    }
}
