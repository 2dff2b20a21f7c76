package dev.tutti.federated.server;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.common.metric.NoopMeterRegistry;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.tutti.TuttiException;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.SharedParameters;
import dev.tutti.federated.wire.EnrolRequest;
import dev.tutti.federated.wire.FederatedPaths;
import dev.tutti.federated.wire.JobNotice;
import dev.tutti.federated.wire.UpdateCodec;
import dev.tutti.io.Safetensors;
import dev.tutti.json.Json;
import io.netty.handler.ssl.ClientAuth;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP service of a federated server: it checks who calls and how much, and hands on to the {@link RoundDriver}. */
final class FederatedEndpoints implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FederatedEndpoints.class);
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{1,9})-(\\d{0,9})");
    private static final long LONGEST_WAIT = 20_000;
    private static final int MOST_CONNECTIONS = 20_000;

    private final RoundDriver driver;
    private final ClientRegistry registry;
    private final ListenSettings settings;
    private final LongSupplier clock;
    private final UpdateCodec codec;
    private final Uploads uploads;
    private final String notice;
    private final WaitingClients waiting;
    private final Server server;
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();

    /** Answers one call. */
    private interface Call {
        HttpResponse answer(String client, ServiceRequestContext context, AggregatedHttpRequest request);
    }

    FederatedEndpoints(
            FederatedJob job,
            SharedParameters shared,
            RoundDriver driver,
            ClientRegistry registry,
            ListenSettings settings,
            LongSupplier clock) {
        this.driver = driver;
        this.registry = registry;
        this.settings = settings;
        this.clock = clock;
        codec = new UpdateCodec(shared, job.encoding());
        uploads = new Uploads(codec.longest());
        notice = Json.write(JobNotice.of(job, shared));
        waiting = new WaitingClients(driver::work, item -> json(200, item));
        driver.whenChanged(this::changed);
        server = routes(builder()).build();
    }

    private void changed() {
        uploads.forgetBefore(driver.round());
        waiting.tellAll();
    }

    private ServerBuilder builder() {
        ServerBuilder builder = Server.builder();
        builder.port(
                new InetSocketAddress(settings.host(), settings.port()),
                settings.tls().isPresent() ? SessionProtocol.HTTPS : SessionProtocol.HTTP);
        settings.tls().ifPresent(files -> secure(builder, files));
        return builder.maxRequestLength(codec.longest())
                .requestTimeout(Duration.ofSeconds(120))
                .idleTimeout(Duration.ofSeconds(120))
                .maxNumConnections(MOST_CONNECTIONS)
                .http1MaxInitialLineLength(4096)
                .http1MaxHeaderSize(16_384)
                .gracefulShutdownTimeout(Duration.ofMillis(50), Duration.ofSeconds(5))
                .disableServerHeader()
                .disableDateHeader()
                .meterRegistry(NoopMeterRegistry.get());
    }

    private static void secure(ServerBuilder builder, TlsFiles files) {
        builder.tls(TlsKeyPair.of(files.key().toFile(), files.certificate().toFile()));
        if (files.trust() != null) {
            builder.tlsCustomizer(
                    tls -> tls.trustManager(files.trust().toFile()).clientAuth(ClientAuth.REQUIRE));
        }
    }

    private ServerBuilder routes(ServerBuilder builder) {
        builder.route()
                .post(FederatedPaths.ENROL)
                .build((context, request) -> HttpResponse.of(request.aggregate()
                        .thenApplyAsync(all -> guarded(() -> enrol(context, all)), context.blockingTaskExecutor())
                        .exceptionally(this::failed)));
        route(builder, HttpMethod.GET, FederatedPaths.JOB, (client, context, request) -> text(200, notice));
        route(builder, HttpMethod.GET, FederatedPaths.STATUS, (client, context, request) -> status());
        route(builder, HttpMethod.GET, FederatedPaths.MODEL, this::model);
        route(builder, HttpMethod.PUT, FederatedPaths.UPDATE, this::update);
        route(builder, HttpMethod.GET, FederatedPaths.UPDATE, this::received);
        route(builder, HttpMethod.PUT, FederatedPaths.EVALUATION, this::evaluation);
        route(builder, HttpMethod.PUT, FederatedPaths.SECURE, this::secureMessage);
        route(builder, HttpMethod.POST, FederatedPaths.DECLINE, (client, context, request) -> {
            LOG.info("{} declines round {}: {}", client, round(context), shortened(request.contentUtf8()));
            registry.gone(client);
            return json(200, Map.of());
        });
        route(builder, HttpMethod.GET, FederatedPaths.WORK, (client, context, request) -> {
            long seconds = Math.max(0, context.queryParams().getLong("wait", 0));
            return HttpResponse.of(waiting.ask(context, client, Math.min(LONGEST_WAIT, seconds * 1000)));
        });
        return builder;
    }

    private void route(ServerBuilder builder, HttpMethod method, String path, Call call) {
        builder.route().methods(method).path(path).build((context, request) -> {
            context.setRequestTimeout(Duration.ofSeconds(120));
            return HttpResponse.of(request.aggregate()
                    .thenApplyAsync(
                            all -> guarded(() -> call.answer(identify(context, all.headers()), context, all)),
                            context.blockingTaskExecutor())
                    .exceptionally(problem -> tooLong(context, request.headers(), problem)));
        });
    }

    private interface Answer {
        HttpResponse get();
    }

    private HttpResponse guarded(Answer answer) {
        try {
            return answer.get();
        } catch (RefusedCallException e) {
            return json(e.status(), Map.of("error", e.getMessage()));
        } catch (TuttiException e) {
            return json(422, Map.of("error", e.getMessage()));
        } catch (RuntimeException e) {
            LOG.warn("A call could not be answered", e);
            return json(500, Map.of("error", "the server could not answer: see its log"));
        }
    }

    private HttpResponse failed(Throwable problem) {
        return json(413, Map.of("error", "the request could not be read: " + problem.getMessage()));
    }

    /** A body that is longer than any update is not read; where it claims to be one it is counted as malformed. */
    private HttpResponse tooLong(ServiceRequestContext context, RequestHeaders headers, Throwable problem) {
        return guarded(() -> {
            String client = identify(context, headers);
            if (context.path().endsWith("/update")) {
                driver.unreadable(client, round(context));
            }
            LOG.warn("The body of a call of {} was not read: {}", client, problem.getMessage());
            return json(413, Map.of("error", "a body has at most " + codec.longest() + " bytes"));
        });
    }

    private String identify(ServiceRequestContext context, RequestHeaders headers) {
        String authorization = headers.get(HttpHeaderNames.AUTHORIZATION, "");
        String key = authorization.startsWith("Bearer ") ? authorization.substring("Bearer ".length()) : null;
        return registry.identify(key, certificate(context), clock.getAsLong());
    }

    /** The name in the caller's certificate, where certificates are asked for. */
    private Optional<String> certificate(ServiceRequestContext context) {
        if (!settings.knowsCertificates()) {
            return Optional.empty();
        }
        SSLSession session = context.sslSession();
        try {
            Certificate[] chain = session == null ? new Certificate[0] : session.getPeerCertificates();
            if (chain.length > 0 && chain[0] instanceof X509Certificate shown) {
                return Optional.of(shown.getSubjectX500Principal().getName().replaceAll(".*CN=([^,]+).*", "$1"));
            }
        } catch (SSLPeerUnverifiedException e) {
            throw new RefusedCallException(401, "the client showed no certificate");
        }
        throw new RefusedCallException(401, "the client showed no certificate");
    }

    private HttpResponse enrol(ServiceRequestContext context, AggregatedHttpRequest request) {
        EnrolRequest wish = Json.read(request.contentUtf8(), EnrolRequest.class, "the enrolment");
        return json(200, registry.enrol(wish, certificate(context)));
    }

    private HttpResponse model(String client, ServiceRequestContext context, AggregatedHttpRequest request) {
        byte[] bytes = driver.model(round(context));
        int[] range = range(request.headers().get(HttpHeaderNames.RANGE, ""), bytes.length);
        int count = range[1] - range[0];
        sent.addAndGet(count);
        return HttpResponse.of(
                ResponseHeaders.builder(count == bytes.length ? HttpStatus.OK : HttpStatus.PARTIAL_CONTENT)
                        .contentType(MediaType.OCTET_STREAM)
                        .add("content-range", "bytes " + range[0] + "-" + (range[1] - 1) + "/" + bytes.length)
                        .build(),
                HttpData.wrap(bytes, range[0], count));
    }

    /** The first byte that is asked for, and the one behind the last. */
    private static int[] range(String text, int length) {
        if (text.isEmpty()) {
            return new int[] {0, length};
        }
        Matcher matcher = RANGE.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) >= length) {
            throw new RefusedCallException(
                    416, "range: expected bytes=N- or bytes=N-M below " + length + ", received " + text);
        }
        int from = Integer.parseInt(matcher.group(1));
        int last = matcher.group(2).isEmpty() ? length - 1 : Integer.parseInt(matcher.group(2));
        if (last < from) {
            throw new RefusedCallException(416, "range: the last byte lies before the first in " + text);
        }
        return new int[] {from, Math.min(last, length - 1) + 1};
    }

    private HttpResponse update(String client, ServiceRequestContext context, AggregatedHttpRequest request) {
        int round = round(context);
        byte[] piece = request.content().array();
        received.addAndGet(piece.length);
        long offset = request.headers().getLong(FederatedPaths.OFFSET, 0);
        long length = request.headers().getLong(FederatedPaths.LENGTH, piece.length);
        Optional<byte[]> whole = uploads.add(client, round, offset, length, piece);
        if (whole.isEmpty()) {
            return json(202, Map.of("offset", offset + piece.length));
        }
        return judged(
                driver.awaits(client, round) ? read(whole.get(), client, round) : driver.unreadable(client, round));
    }

    private Verdict read(byte[] bytes, String client, int round) {
        ClientUpdate update;
        try {
            update = codec.decode(bytes, client);
        } catch (TuttiException e) {
            LOG.warn("{}", e.getMessage());
            return driver.unreadable(client, round);
        }
        return driver.submit(update, round);
    }

    private HttpResponse received(String client, ServiceRequestContext context, AggregatedHttpRequest request) {
        return json(200, Map.of("offset", uploads.received(client, round(context))));
    }

    private HttpResponse evaluation(String client, ServiceRequestContext context, AggregatedHttpRequest request) {
        Safetensors sums = Safetensors.read(request.content().array(), "the evaluation of " + client);
        return judged(driver.evaluated(client, round(context), sums.tensors()));
    }

    private HttpResponse secureMessage(String client, ServiceRequestContext context, AggregatedHttpRequest request) {
        received.addAndGet(request.content().length());
        return judged(driver.secure(
                client,
                round(context),
                context.pathParam("phase"),
                request.content().array()));
    }

    private static HttpResponse judged(Verdict verdict) {
        int status = switch (verdict) {
            case ACCEPTED -> 200;
            case MALFORMED -> 422;
            case NOT_ASKED -> 403;
            case LATE, DOUBLED, OLD_ROUND -> 409;
        };
        return json(status, Map.of("verdict", verdict.name().toLowerCase(Locale.ROOT)));
    }

    private HttpResponse status() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("round", driver.round());
        status.put("enrolled", registry.enrolled());
        status.put("present", registry.present(clock.getAsLong()).size());
        status.put("waiting", waiting.count());
        status.put("bytesReceived", received.get());
        status.put("bytesSent", sent.get());
        status.put("ending", driver.ending());
        status.put("results", driver.results());
        return json(200, status);
    }

    private static int round(ServiceRequestContext context) {
        String text = context.pathParam("round");
        if (text == null || !text.matches("\\d{1,9}")) {
            throw new RefusedCallException(422, "a round is a whole number: received '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    private static String shortened(String text) {
        String line = text.replaceAll("[\\r\\n]+", " ");
        return line.length() > 200 ? line.substring(0, 200) : line;
    }

    private static HttpResponse json(int status, Object value) {
        return text(status, Json.write(value));
    }

    private static HttpResponse text(int status, String json) {
        return HttpResponse.of(HttpStatus.valueOf(status), MediaType.JSON_UTF_8, json);
    }

    // ---- life

    void start() {
        try {
            server.start().join();
        } catch (RuntimeException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new TuttiException(
                    "the federated server cannot listen on " + settings.host() + ":" + settings.port() + ": "
                            + cause.getMessage() + ". Choose another port, or 0 for any that is free",
                    cause);
        }
    }

    int port() {
        return server.activeLocalPort();
    }

    long bytesReceived() {
        return received.get();
    }

    long bytesSent() {
        return sent.get();
    }

    @Override
    public void close() {
        CompletableFuture<Void> stopped = server.stop();
        try {
            stopped.get(10, java.util.concurrent.TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            LOG.warn("The server did not stop in time: {}", e.toString());
        }
    }
}
