package dev.tutti.serve.protocol;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.ResponseCompleteException;
import com.linecorp.armeria.common.ShuttingDownException;
import com.linecorp.armeria.common.stream.AbortedStreamException;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import dev.tutti.TuttiException;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the words for what went wrong with a request. A defect of ours is logged, and its details stay here. */
public final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    public static ServeException serveException(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof ServeException known) {
            return known;
        }
        if (cause instanceof JsonProcessingException json) {
            var at = json.getLocation();
            return new ServeException(
                    Reason.INVALID,
                    "the body is not valid JSON: " + json.getOriginalMessage()
                            + (at == null ? "" : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")"),
                    cause);
        }
        if (cause instanceof TuttiException) {
            return new ServeException(Reason.INVALID, cause.getMessage(), cause);
        }
        if (cause instanceof ContentTooLargeException large) {
            return new ServeException(
                    Reason.TOO_LARGE,
                    "the body is too large: at most " + large.maxContentLength() + " bytes are accepted",
                    cause);
        }
        if (cause instanceof HttpStatusException status && status.httpStatus().code() == 413) {
            return new ServeException(Reason.TOO_LARGE, "the body is too large for this service", cause);
        }
        if (cause instanceof ClosedSessionException
                || cause instanceof AbortedStreamException
                || cause
                        instanceof
                        ResponseCompleteException) { // it was answered before it was complete, as one that is too large
            return new ServeException(Reason.DEADLINE, "the client has gone before its request was complete", cause);
        }
        if (cause instanceof CancellationException || cause instanceof RequestTimeoutException) {
            return new ServeException(Reason.DEADLINE, "the request was cancelled or its time was over", cause);
        }
        if (cause instanceof ShuttingDownException) {
            return new ServeException(Reason.UNAVAILABLE, "the service is being stopped", cause);
        }
        LOG.error("a request failed by a defect", cause);
        return new ServeException(Reason.DEFECT, "the service failed to answer: its log says why", cause);
    }
}
