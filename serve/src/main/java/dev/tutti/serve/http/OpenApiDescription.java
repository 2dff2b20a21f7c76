package dev.tutti.serve.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The routes of a server in the words of OpenAPI 3. */
final class OpenApiDescription {
    private static final JsonNode SCHEMAS = schemas();

    /** Variables of paths that are numbers; the others are names. */
    private static final Set<String> NUMBERS = Set.of("version", "place");

    private OpenApiDescription() {}

    private static JsonNode schemas() {
        try (InputStream in = OpenApiDescription.class.getResourceAsStream("schemas.json")) {
            return Json.json().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Object> schema(String type, RouteDescription route) {
        if (type.endsWith("json")) {
            if (route.schema() == null) {
                return Map.of("type", "object");
            }
            if (!SCHEMAS.has(route.schema())) {
                throw new IllegalArgumentException(route.path() + ": there is no schema " + route.schema());
            }
            return Map.of("$ref", "#/components/schemas/" + route.schema());
        }
        return type.startsWith("text/") ? Map.of("type", "string") : Map.of("type", "string", "format", "binary");
    }

    private static Map<String, Object> parameter(String name, String place) {
        Map<String, Object> parameter = new LinkedHashMap<>();
        parameter.put("name", name);
        parameter.put("in", place);
        parameter.put("required", place.equals("path"));
        parameter.put(
                "schema",
                !place.equals("path")
                        ? Map.of("type", "string")
                        : NUMBERS.contains(name)
                                ? Map.of("type", "integer", "minimum", name.equals("version") ? 1 : 0)
                                : Map.of("type", "string", "pattern", "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"));
        return parameter;
    }

    static Map<String, Object> of(List<RouteDescription> routes, boolean keys) {
        Map<String, Object> paths = new LinkedHashMap<>();
        for (RouteDescription route : routes) {
            @SuppressWarnings("unchecked")
            Map<String, Object> methods =
                    (Map<String, Object>) paths.computeIfAbsent(route.path(), path -> new LinkedHashMap<>());
            methods.put(route.method().name().toLowerCase(Locale.ROOT), operation(route, keys));
        }
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("openapi", "3.0.3");
        about.put("info", Map.of("title", "Tutti", "version", dev.tutti.train.Version.current()));
        about.put("paths", paths);
        Map<String, Object> components = new LinkedHashMap<>();
        components.put("schemas", SCHEMAS);
        if (keys) {
            components.put("securitySchemes", Map.of("key", Map.of("type", "http", "scheme", "bearer")));
        }
        about.put("components", components);
        return about;
    }

    private static Map<String, Object> operation(RouteDescription route, boolean keys) {
        Map<String, Object> operation = new LinkedHashMap<>();
        operation.put("summary", route.summary());
        List<Map<String, Object>> parameters = new ArrayList<>();
        route.variables().forEach(name -> parameters.add(parameter(name, "path")));
        route.query().forEach(name -> parameters.add(parameter(name, "query")));
        if (!parameters.isEmpty()) {
            operation.put("parameters", parameters);
        }
        if (!route.body().isEmpty()) {
            Map<String, Object> content = new LinkedHashMap<>();
            for (String type : route.body()) {
                content.put(type, Map.of("schema", schema(type, route)));
            }
            operation.put("requestBody", Map.of("required", true, "content", content));
        }
        Map<String, Object> responses = new LinkedHashMap<>();
        responses.put("2XX", Map.of("description", "the answer"));
        responses.put(
                "default",
                Map.of(
                        "description",
                        "what was expected and what was received",
                        "content",
                        Map.of("application/json", Map.of("schema", Map.of("$ref", "#/components/schemas/Error")))));
        operation.put("responses", responses);
        if (keys && route.role() != Role.NONE) {
            operation.put("security", List.of(Map.of("key", List.of())));
        }
        return operation;
    }
}
