package dev.tutti.serve.protocol;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.tutti.serve.ServeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A request whose body has arrived.
 *
 * @param caller the name of the caller's key
 * @param admin whether the caller may do everything
 */
public record HttpCall(ServiceRequestContext context, AggregatedHttpRequest request, String caller, boolean admin) {
    private static final String DEADLINE = "x-deadline-ms";

    /** A variable of the route, such as the name of a model; decoded, and not yet checked. */
    public String variable(String name) {
        String value = context.pathParam(name);
        return value == null ? "" : value;
    }

    public byte[] body() {
        return request.content().array();
    }

    /** A parameter of the query, or the value for none. */
    public String parameter(String name, String otherwise) {
        String value = context.queryParam(name);
        return value == null ? otherwise : value;
    }

    /** The time that the client gives, where it says one in {@code X-Deadline-Ms}. */
    Duration deadline(Duration otherwise) {
        String said = request.headers().get(DEADLINE);
        if (said == null) {
            return otherwise;
        }
        if (!said.matches("[1-9][0-9]{0,8}")) {
            throw ServeException.invalid("X-Deadline-Ms: expected milliseconds from 1 on, received '"
                    + said.substring(0, Math.min(32, said.length())) + "'");
        }
        return Duration.ofMillis(Long.parseLong(said));
    }

    /** Drops the computation when the client goes away or its time is over. */
    <T> CompletableFuture<T> cancelling(CompletableFuture<T> answer) {
        var unused = context.whenRequestCancelled().thenRun(() -> answer.cancel(false));
        return answer;
    }
}
