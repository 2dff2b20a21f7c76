package dev.tutti.serve.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import java.util.Set;

/**
 * Keeps pages of other sites from using a browser on this machine against the service: changes are accepted from the service's own
 * pages only, and a service without keys answers under names of this machine only.
 */
final class OriginCheck {
    private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "[::1]");

    private final boolean localNamesOnly;

    OriginCheck(boolean localNamesOnly) {
        this.localNamesOnly = localNamesOnly;
    }

    void check(RequestHeaders headers) {
        String authority = headers.authority() == null ? "" : headers.authority();
        String name = authority.replaceFirst(":[0-9]*$", "");
        if (localNamesOnly && !LOCAL.contains(name) && !name.startsWith("127.")) {
            throw new ServeException(
                    Reason.FORBIDDEN,
                    "the service answers as localhost only, as it has no API keys: the request is for another host");
        }
        String origin = headers.get(HttpHeaderNames.ORIGIN);
        boolean reading = headers.method() == HttpMethod.GET || headers.method() == HttpMethod.HEAD;
        if (origin != null && !reading && !origin.replaceFirst("^https?://", "").equals(authority)) {
            throw new ServeException(Reason.FORBIDDEN, "a page of another site may not send requests to the service");
        }
    }
}
