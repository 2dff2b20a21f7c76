package dev.tutti.serve.protocol;

import com.linecorp.armeria.common.HttpResponse;
import java.io.IOException;
import java.util.concurrent.CompletionStage;

/** Answers one kind of HTTP request. What it throws, or its future fails with, becomes the error of its protocol. */
@FunctionalInterface
public interface Endpoint {
    CompletionStage<HttpResponse> answer(HttpCall call) throws IOException;
}
