package dev.tutti.serve.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.common.metric.NoopMeterRegistry;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.encoding.DecodingService;
import dev.tutti.TuttiException;
import dev.tutti.serve.protocol.Endpoint;
import dev.tutti.serve.protocol.JsonReply;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A server of endpoints with roles.
 *
 * <p>Order of calls: {@link #route} and {@link #service} any number of times, {@link #start}, {@link #close}.
 */
public final class EndpointServer implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofSeconds(30);
    private static final Duration LONGEST_STOP = Duration.ofSeconds(40);
    private static final int LONGEST_LINE = 8_192;

    private final HttpSettings settings;
    private final ServerBuilder builder = Server.builder();
    private final OriginCheck origins;
    private final List<RouteDescription> routes = new ArrayList<>();
    private Server server;

    public EndpointServer(HttpSettings settings, Optional<Consumer<String>> accessLog) {
        this.settings = settings;
        origins = new OriginCheck(!settings.keys().areThere());
        boolean tls = settings.certificate().isPresent();
        builder.port(
                new InetSocketAddress(settings.host(), settings.port()),
                tls ? SessionProtocol.HTTPS : SessionProtocol.HTTP);
        if (tls) {
            builder.tls(TlsKeyPair.of(
                    settings.key().get().toFile(), settings.certificate().get().toFile()));
        }
        builder.maxRequestLength(settings.maxBodyBytes())
                .requestTimeout(settings.requestTimeout())
                .idleTimeout(settings.idleTimeout())
                .childChannelPipelineCustomizer(
                        pipeline -> pipeline.addFirst(new FirstByteLimit(settings.idleTimeout())))
                .maxNumConnections(settings.maxConnections())
                .http1MaxInitialLineLength(LONGEST_LINE)
                .http1MaxHeaderSize(2 * LONGEST_LINE)
                .gracefulShutdownTimeout(Duration.ofMillis(200), DRAIN)
                .disableServerHeader()
                .disableDateHeader()
                .meterRegistry(NoopMeterRegistry.get()) // the service measures by itself: ServingMetrics
                .unloggedExceptionsReportIntervalMillis(
                        0) // errors of callers are answered, and are no news for the log
                .errorHandler(new JsonErrors());
        accessLog.ifPresent(lines -> builder.accessLogWriter(new AccessLog(lines), true));
    }

    /** Errors that no endpoint has seen, such as an unknown path, in the same words as theirs. */
    private static final class JsonErrors implements ServerErrorHandler {
        @Override
        public HttpResponse onServiceException(ServiceRequestContext context, Throwable cause) {
            return JsonReply.error(cause);
        }

        @Override
        public com.linecorp.armeria.common.AggregatedHttpResponse renderStatus(
                ServiceRequestContext context,
                ServiceConfig config,
                RequestHeaders headers,
                HttpStatus status,
                String description,
                Throwable cause) {
            String words = switch (status.code()) {
                case 404 -> "there is nothing at this path: GET /openapi.json lists what there is";
                case 405 -> "the method is not one of this path: GET /openapi.json lists what there is";
                case 413 -> "the body is too large";
                default -> description == null ? status.reasonPhrase() : description;
            };
            return com.linecorp.armeria.common.AggregatedHttpResponse.of(
                    ResponseHeaders.builder(status)
                            .contentType(com.linecorp.armeria.common.MediaType.JSON)
                            .build(),
                    com.linecorp.armeria.common.HttpData.ofUtf8(dev.tutti.json.Json.write(Map.of("error", words))));
        }
    }

    /** Adds an endpoint. */
    public void route(RouteDescription route, Endpoint endpoint) {
        routes.add(route);
        HttpService service = new GuardedEndpoint(endpoint, route.role(), settings.keys(), origins);
        builder.route()
                .methods(route.method())
                .path(route.pattern())
                .build(service.decorate(DecodingService.newDecorator()));
    }

    /** Adds a service that checks its callers by itself. */
    public void service(String path, HttpService service) {
        builder.service(path, service);
    }

    /** Adds files that any client may read. */
    public void serviceUnder(String prefix, HttpService service) {
        builder.serviceUnder(prefix, service);
    }

    /** Refuses callers that may not do this; for services that check their callers by themselves. */
    public Consumer<RequestHeaders> access(Role role) {
        return headers -> {
            origins.check(headers);
            settings.keys().check(headers, role);
        };
    }

    /**
     * Listens from now on.
     *
     * @throws TuttiException if the port is in use, or the certificate cannot be read
     */
    public void start() {
        route(
                RouteDescription.get("/openapi.json", Role.NONE, "This description."),
                call -> CompletableFuture.completedFuture(JsonReply.ok(
                        OpenApiDescription.of(routes, settings.keys().areThere()))));
        try {
            server = builder.build();
            server.start().join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new TuttiException(
                    "the service cannot listen on " + settings.host() + ":" + settings.port() + ": "
                            + cause.getMessage() + ". Choose another --port, or 0 for any that is free",
                    cause);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new TuttiException("the certificate or its key cannot be used: " + e.getMessage(), e);
        }
    }

    public int port() {
        return server.activeLocalPort();
    }

    /** Where the service is reached from this machine. */
    public URI uri() {
        String host = settings.isLocal() ? settings.host() : "localhost";
        return URI.create((settings.certificate().isPresent() ? "https://" : "http://")
                + (host.contains(":") ? "[" + host + "]" : host) + ":" + port());
    }

    /** Accepts no more connections, finishes the answers under way, and stops; after 40 s at the latest. */
    @Override
    public void close() {
        if (server == null) {
            return;
        }
        try {
            server.stop().get(LONGEST_STOP.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the server did not stop within " + LONGEST_STOP.toSeconds() + " s", e);
        }
    }
}
