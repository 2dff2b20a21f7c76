package dev.tutti.federated.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.federated.privacy.SecureAggregation;
import dev.tutti.federated.privacy.SecureSum;
import dev.tutti.federated.wire.WorkItem;
import dev.tutti.io.Safetensors;
import dev.tutti.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The phases of a round of secure aggregation by the clock: each ends when all have answered, or at its deadline with enough. */
final class SecureRound {
    private static final long MOST_FOR_KEYS = 10_000;

    private enum Phase {
        KEYS(WorkItem.KEYS),
        SHARES(WorkItem.SHARES),
        MASKED(WorkItem.MASKED),
        UNMASK(WorkItem.UNMASK),
        DONE("");

        private final String word;

        Phase(String word) {
            this.word = word;
        }
    }

    private final SecureSum sum;
    private final int threshold;
    private final int size;
    private final long training; // milliseconds for the phase in which clients train
    private final Set<String> answered = new HashSet<>(); // in this phase
    private Set<String> expected;
    private Phase phase = Phase.KEYS;
    private long deadline;
    private Map<String, String> given = Map.of(); // what all are told in this phase
    private long[] result; // null until the sum is known
    private String problem = "";

    SecureRound(SecureAggregation settings, int round, List<String> clients, int size, long now, long training) {
        this.threshold = settings.threshold(clients.size());
        this.size = size;
        this.training = training;
        this.expected = new HashSet<>(clients);
        this.sum = new SecureSum(round, threshold, size);
        this.deadline = now + Math.min(training, MOST_FOR_KEYS);
    }

    WorkItem work(String client, int round, double factor, Double clip, Double noise, long now) {
        if (phase == Phase.DONE || !expected.contains(client) || answered.contains(client)) {
            return WorkItem.of(WorkItem.WAIT, round, 0);
        }
        Map<String, String> told = phase == Phase.MASKED ? sum.sharesFor(client) : given;
        return WorkItem.secure(
                phase.word, round, Math.max(0, deadline - now) / 1e3, told, threshold, factor, clip, noise);
    }

    Verdict offer(String client, String word, byte[] body) {
        if (!word.equals(phase.word)) {
            return Verdict.LATE;
        }
        if (!expected.contains(client)) {
            return Verdict.NOT_ASKED;
        }
        if (!answered.add(client)) {
            return Verdict.DOUBLED;
        }
        try {
            take(client, body);
            return Verdict.ACCEPTED;
        } catch (TuttiException e) {
            expected.remove(client);
            answered.remove(client);
            return Verdict.MALFORMED;
        }
    }

    private void take(String client, byte[] body) {
        switch (phase) {
            case KEYS -> sum.keys(client, words(body).getOrDefault("keys", ""));
            case SHARES -> sum.shares(client, words(body));
            case MASKED -> {
                NdArray masked = Safetensors.read(body, "the masked update of " + client)
                        .tensors()
                        .get("masked");
                if (masked == null || masked.type() != DType.INT64 || masked.size() != size) {
                    throw new TuttiException("expected 'masked' as int64 of " + size + " values");
                }
                sum.add(client, masked.longs());
            }
            case UNMASK -> sum.unmask(client, words(body));
            case DONE -> throw new TuttiException("the round is done");
        }
    }

    private static Map<String, String> words(byte[] body) {
        JsonNode tree = Json.read(new String(body, StandardCharsets.UTF_8), JsonNode.class, "a message of a client");
        Map<String, String> words = new LinkedHashMap<>();
        tree.properties()
                .forEach(field -> words.put(field.getKey(), field.getValue().asText()));
        return words;
    }

    /** Goes on to the next phase if this one is complete; true if it did. */
    boolean advance(long now) {
        boolean all = answered.containsAll(expected);
        if (phase == Phase.DONE || !all && now < deadline) {
            return false;
        }
        try {
            next(now);
        } catch (TuttiException e) {
            problem = e.getMessage();
            phase = Phase.DONE;
        }
        return true;
    }

    private void next(long now) {
        expected = new HashSet<>(answered);
        answered.clear();
        deadline = now + Math.min(training, MOST_FOR_KEYS);
        switch (phase) {
            case KEYS -> {
                given = sum.closeKeys();
                phase = Phase.SHARES;
            }
            case SHARES -> {
                sum.closeShares();
                expected.removeIf(client -> !sum.hasShared(client));
                deadline = now + training;
                phase = Phase.MASKED;
            }
            case MASKED -> {
                given = sum.closeSum();
                expected.removeIf(client -> !sum.hasAdded(client));
                phase = Phase.UNMASK;
            }
            case UNMASK -> {
                result = sum.reveal();
                phase = Phase.DONE;
            }
            case DONE -> throw new IllegalStateException("the round is done");
        }
    }

    boolean isDone() {
        return phase == Phase.DONE;
    }

    Optional<long[]> sum() {
        return Optional.ofNullable(result);
    }

    int survivors() {
        return sum.added();
    }

    String problem() {
        return problem;
    }
}
