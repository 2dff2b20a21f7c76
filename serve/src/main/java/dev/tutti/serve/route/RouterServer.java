package dev.tutti.serve.route;

import com.linecorp.armeria.common.HttpMethod;
import dev.tutti.TuttiException;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.http.EndpointServer;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.Role;
import dev.tutti.serve.http.RouteDescription;
import dev.tutti.serve.protocol.HttpCall;
import dev.tutti.serve.protocol.JsonReply;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One address for several serving processes: what {@code ./tutti route} runs. */
public final class RouterServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RouterServer.class);
    private static final long CHECK_MILLIS = 300;

    private final List<ServingReplica> replicas;
    private final EndpointServer server;
    private final Thread checks;
    private volatile boolean closed;

    private RouterServer(List<ServingReplica> replicas, EndpointServer server) {
        this.replicas = replicas;
        this.server = server;
        this.checks = new Thread(this::check, "router health checks");
        checks.setDaemon(true);
    }

    /**
     * Listens, and sends requests to those replicas that are well.
     *
     * @throws TuttiException if there are no replicas, or the port is in use
     */
    public static RouterServer start(List<URI> uris, HttpSettings http, Optional<Consumer<String>> accessLog) {
        if (uris.isEmpty()) {
            throw new TuttiException(
                    "a router needs one replica or more, such as http://127.0.0.1:8081: received none");
        }
        List<ServingReplica> replicas = new ArrayList<>();
        for (URI uri : uris) {
            if (uri.getHost() == null
                    || uri.getScheme() == null
                    || !uri.getScheme().matches("https?")) {
                throw new TuttiException(uri + ": expected an address such as http://127.0.0.1:8081");
            }
            replicas.add(new ServingReplica(uri, http.requestTimeout(), http.maxBodyBytes()));
        }
        EndpointServer server = new EndpointServer(http, accessLog);
        RouterServer router = new RouterServer(List.copyOf(replicas), server);
        server.route(
                RouteDescription.get("/replicas", Role.PREDICT, "The replicas and how they are."), router::describe);
        server.route(
                new RouteDescription(
                        HttpMethod.POST,
                        "/replicas/{place}/drain",
                        Role.ADMIN,
                        "Sends a replica no more requests.",
                        List.of()),
                router::drain);
        server.route(
                new RouteDescription(
                        HttpMethod.POST,
                        "/replicas/{place}/restore",
                        Role.ADMIN,
                        "Sends a drained replica requests again, once it is well.",
                        List.of()),
                router::restore);
        server.serviceUnder(
                "/", new RequestRouter(router.replicas, server.access(Role.PREDICT), server.access(Role.ADMIN)));
        server.start();
        router.checks.start();
        return router;
    }

    private void check() {
        while (!closed) {
            for (ServingReplica replica : replicas) {
                replica.check(replicas);
                if (replica.judge(replicas)) {
                    LOG.warn("replica {} is much slower than the others and rests", replica.uri());
                }
            }
            try {
                Thread.sleep(CHECK_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private CompletableFuture<com.linecorp.armeria.common.HttpResponse> describe(HttpCall call) {
        List<Map<String, Object>> list = new ArrayList<>();
        for (ServingReplica replica : replicas) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("uri", replica.uri().toString());
            one.put("health", replica.health().name().toLowerCase(java.util.Locale.ROOT));
            one.put("outstanding", replica.outstanding());
            one.put("seconds", replica.seconds());
            list.add(one);
        }
        return CompletableFuture.completedFuture(JsonReply.ok(Map.of("replicas", list)));
    }

    private CompletableFuture<com.linecorp.armeria.common.HttpResponse> drain(HttpCall call) {
        named(call).drain();
        return describe(call);
    }

    private CompletableFuture<com.linecorp.armeria.common.HttpResponse> restore(HttpCall call) {
        named(call).restore();
        return describe(call);
    }

    private ServingReplica named(HttpCall call) {
        String place = call.variable("place");
        if (!place.matches("[0-9]{1,4}") || Integer.parseInt(place) >= replicas.size()) {
            throw ServeException.invalid("expected the place of a replica, from 0 to " + (replicas.size() - 1));
        }
        return replicas.get(Integer.parseInt(place));
    }

    /** How many replicas are well. */
    public long wellReplicas() {
        return replicas.stream()
                .filter(replica -> replica.health() == ServingReplica.Health.WELL)
                .count();
    }

    public URI uri() {
        return server.uri();
    }

    @Override
    public void close() {
        closed = true;
        checks.interrupt();
        server.close();
    }
}
