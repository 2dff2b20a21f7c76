package dev.tutti.serve.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The routes of a server in the words of OpenAPI 3. */
final class OpenApiDescription {
    private OpenApiDescription() {}

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
        components.put(
                "schemas",
                Map.of(
                        "Error",
                        Map.of(
                                "type",
                                "object",
                                "required",
                                List.of("error"),
                                "properties",
                                Map.of("error", Map.of("type", "string")))));
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
        for (String name : route.variables()) {
            Map<String, Object> parameter = new LinkedHashMap<>();
            parameter.put("name", name);
            parameter.put("in", "path");
            parameter.put("required", true);
            parameter.put("schema", Map.of("type", "string"));
            parameters.add(parameter);
        }
        if (!parameters.isEmpty()) {
            operation.put("parameters", parameters);
        }
        if (!route.body().isEmpty()) {
            Map<String, Object> content = new LinkedHashMap<>();
            for (String type : route.body()) {
                content.put(
                        type,
                        Map.of(
                                "schema",
                                type.endsWith("json")
                                        ? Map.of("type", "object")
                                        : type.startsWith("text/")
                                                ? Map.of("type", "string")
                                                : Map.of("type", "string", "format", "binary")));
            }
            operation.put("requestBody", Map.of("required", true, "content", content));
        }
        Map<String, Object> responses = new LinkedHashMap<>();
        responses.put("200", Map.of("description", "the answer"));
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
