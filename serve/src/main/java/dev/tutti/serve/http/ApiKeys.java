package dev.tutti.serve.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import dev.tutti.TuttiException;
import dev.tutti.json.Json;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys that callers are known by: {@code Authorization: Bearer KEY} or {@code X-API-Key: KEY}. Without keys every caller may do
 * everything, which is for this machine alone.
 *
 * <p>Keys are compared by their SHA-256 digests, so the time of a comparison tells nothing about them.
 */
public final class ApiKeys {
    private static final ApiKey LOCAL_ADMIN = new ApiKey("local", "-".repeat(16), java.util.Set.of(Role.ADMIN), 0);

    private record Known(ApiKey key, RateLimit limit) {}

    private final Map<String, Known> byDigest = new LinkedHashMap<>();

    private ApiKeys(List<ApiKey> keys) {
        for (ApiKey key : keys) {
            if (byDigest.put(digest(key.key()), new Known(key, new RateLimit(key.perSecond()))) != null) {
                throw new TuttiException("two API keys are the same: that of '" + key.name() + "' and an earlier one");
            }
        }
    }

    public static ApiKeys none() {
        return new ApiKeys(List.of());
    }

    public static ApiKeys of(ApiKey... keys) {
        return new ApiKeys(List.of(keys));
    }

    /** Reads a YAML or JSON file: a list of {@code {name, key, roles, perSecond}}. */
    public static ApiKeys read(Path file) {
        ApiKey[] keys = Json.read(file, ApiKey[].class);
        if (keys.length == 0) {
            throw new TuttiException(file + ": expected one key or more, received none");
        }
        return new ApiKeys(Arrays.asList(keys));
    }

    public boolean areThere() {
        return !byDigest.isEmpty();
    }

    /**
     * The caller of a request.
     *
     * @throws ServeException if the key is missing or unknown, may not do this, or came too often
     */
    ApiKey check(RequestHeaders headers, Role role) {
        if (!areThere()) {
            return LOCAL_ADMIN;
        }
        Known known = byDigest.get(digest(presented(headers)));
        if (known == null) {
            if (role == Role.NONE) {
                return new ApiKey("anonymous", "-".repeat(16), java.util.Set.of(), 0);
            }
            throw new ServeException(
                    Reason.UNAUTHENTICATED,
                    "expected an API key, as Authorization: Bearer KEY or X-API-Key: KEY; none that is known was received");
        }
        if (!known.key.mayDo(role)) {
            throw new ServeException(
                    Reason.FORBIDDEN,
                    "the key '" + known.key.name() + "' has the roles " + known.key.roles() + ": expected " + role);
        }
        double wait = known.limit.take();
        if (wait > 0) {
            throw ServeException.overloaded(
                    "the key '" + known.key.name() + "' may send " + known.key.perSecond() + " requests in a second",
                    wait);
        }
        return known.key;
    }

    private static String presented(RequestHeaders headers) {
        String bearer = headers.get(HttpHeaderNames.AUTHORIZATION, "");
        return bearer.startsWith("Bearer ")
                ? bearer.substring("Bearer ".length()).strip()
                : headers.get("x-api-key", "");
    }

    private static String digest(String key) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
