package dev.tutti.federated.server;

import dev.tutti.TuttiException;
import dev.tutti.federated.ClientDescription;
import dev.tutti.federated.wire.EnrolReply;
import dev.tutti.federated.wire.EnrolRequest;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who may take part, and who was heard of when. Keys are kept as digests, on disk before a client is given its own, so that clients are
 * known again after a restart.
 */
final class ClientRegistry {
    /** A client that has not been heard of for so long does not count as present; polls come twice as often. */
    static final long PRESENT_MILLIS = 45_000;

    private static final int LONGEST_NAME = 100;
    private static final int MOST_WORDS = 32;

    private record Enrolled(String id, String digest, ClientDescription description) {}

    private record Saved(List<Enrolled> clients) {}

    private final Path file;
    private final ListenSettings settings;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Enrolled> byDigest = new LinkedHashMap<>();
    private final Map<String, Enrolled> byId = new LinkedHashMap<>();
    private final Map<String, Long> heard = new HashMap<>();
    private final Map<String, CallBudget> budgets = new HashMap<>();

    ClientRegistry(Path file, ListenSettings settings) {
        this.file = file;
        this.settings = settings;
        if (Files.exists(file)) {
            Json.read(file, Saved.class).clients.forEach(this::keep);
        }
    }

    private void keep(Enrolled client) {
        byDigest.put(client.digest, client);
        byId.put(client.id, client);
    }

    /** Lets a client take part, or says why not. */
    synchronized EnrolReply enrol(EnrolRequest request, Optional<String> certificate) {
        boolean shown = settings.token()
                .map(token -> request.token() != null
                        && MessageDigest.isEqual(
                                token.getBytes(StandardCharsets.UTF_8),
                                request.token().getBytes(StandardCharsets.UTF_8)))
                .orElse(true);
        if (!shown && certificate.isEmpty()) {
            throw new RefusedCallException(401, "the enrolment token is not the server's");
        }
        if (byId.size() >= settings.maxClients()) {
            throw new RefusedCallException(429, "the server has " + byId.size() + " clients, which is its limit");
        }
        String name = request.name() == null ? "client" : request.name();
        if (name.length() > LONGEST_NAME
                || !name.matches("[\\w.-]+")
                || request.labels() != null && request.labels().size() > MOST_WORDS
                || request.resources() != null && request.resources().size() > MOST_WORDS) {
            throw new RefusedCallException(
                    422,
                    "a name has up to " + LONGEST_NAME + " letters, digits, dots and dashes, and up to " + MOST_WORDS
                            + " labels and resources");
        }
        byte[] secret = new byte[32];
        random.nextBytes(secret);
        String key = HexFormat.of().formatHex(secret);
        String id = certificate.orElseGet(() -> name + "-" + HexFormat.of().formatHex(secret, 0, 4));
        keep(new Enrolled(id, digest(key), new ClientDescription(id, request.labels(), request.resources())));
        AtomicFile.write(file, Json.write(new Saved(new ArrayList<>(byId.values()))));
        return new EnrolReply(id, key);
    }

    /** The client whose key this is; with a certificate it must be the certificate's as well. */
    synchronized String identify(String key, Optional<String> certificate, long now) {
        Enrolled client = key == null ? null : byDigest.get(digest(key));
        if (client == null || certificate.isPresent() && !certificate.get().equals(client.id)) {
            throw new RefusedCallException(401, "the key is of no client: enrol first");
        }
        if (!budgets.computeIfAbsent(client.id, id -> new CallBudget(settings.perSecond(), now))
                .take(now)) {
            throw new RefusedCallException(429, "more than " + settings.perSecond() + " calls a second: wait a moment");
        }
        heard.put(client.id, now);
        return client.id;
    }

    /** Those who were heard of lately. */
    synchronized List<ClientDescription> present(long now) {
        return byId.values().stream()
                .filter(client -> now - heard.getOrDefault(client.id, Long.MIN_VALUE / 2) < PRESENT_MILLIS)
                .map(Enrolled::description)
                .toList();
    }

    synchronized int enrolled() {
        return byId.size();
    }

    /** The client has gone, or does not want to. */
    synchronized void gone(String client) {
        heard.remove(client);
    }

    private static String digest(String key) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new TuttiException("this JVM has no SHA-256", e);
        }
    }

    /** So many calls a second, twice as many at once. */
    private static final class CallBudget {
        private final double perSecond;
        private double left;
        private long at;

        CallBudget(double perSecond, long now) {
            this.perSecond = perSecond;
            left = 2 * perSecond;
            at = now;
        }

        boolean take(long now) {
            left = Math.min(2 * perSecond, left + (now - at) / 1e3 * perSecond);
            at = now;
            if (left < 1) {
                return false;
            }
            left--;
            return true;
        }
    }
}
