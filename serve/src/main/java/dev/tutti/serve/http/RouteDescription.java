package dev.tutti.serve.http;

import com.linecorp.armeria.common.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A route of the server.
 *
 * @param path with variables in braces, such as {@code /models/{model}/predict}
 * @param summary one sentence for people
 * @param body the content types of a request; empty for none
 * @param schema the name of the schema of a JSON body, in schemas.json; null for any object
 * @param query the names of parameters after a question mark, all of them optional
 */
public record RouteDescription(
        HttpMethod method,
        String path,
        Role role,
        String summary,
        List<String> body,
        String schema,
        List<String> query) {
    private static final Pattern VARIABLE = Pattern.compile("\\{([a-z]+)}");

    /** With a JSON body of any content, if there is one, and without parameters. */
    public RouteDescription(HttpMethod method, String path, Role role, String summary, List<String> body) {
        this(method, path, role, summary, body, null, List.of());
    }

    /** The same with a schema of its JSON body. */
    public RouteDescription as(String name) {
        return new RouteDescription(method, path, role, summary, body, name, query);
    }

    /** The same with parameters. */
    public RouteDescription with(String... parameters) {
        return new RouteDescription(method, path, role, summary, body, schema, List.of(parameters));
    }

    public static RouteDescription get(String path, Role role, String summary) {
        return new RouteDescription(HttpMethod.GET, path, role, summary, List.of());
    }

    public static RouteDescription post(String path, Role role, String summary, String... body) {
        return new RouteDescription(HttpMethod.POST, path, role, summary, List.of(body));
    }

    /** The names of the variables, in order. */
    List<String> variables() {
        List<String> names = new ArrayList<>();
        Matcher matcher = VARIABLE.matcher(path);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }

    /** The path as a pattern that also takes a variable before a colon, as in {@code /v1/models/{model}:predict}. */
    String pattern() {
        Matcher matcher = VARIABLE.matcher(path);
        StringBuilder pattern = new StringBuilder("regex:^");
        int from = 0;
        while (matcher.find()) {
            pattern.append(Pattern.quote(path.substring(from, matcher.start())));
            pattern.append("(?<").append(matcher.group(1)).append(">[^/:]+)");
            from = matcher.end();
        }
        return pattern.append(from < path.length() ? Pattern.quote(path.substring(from)) : "")
                .append("$")
                .toString();
    }
}
