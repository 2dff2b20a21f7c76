package dev.tutti.federated.privacy;

import dev.tutti.TuttiException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The server's part in one round of secure aggregation, without clock or network: it collects keys, passes sealed shares on, sums masked
 * vectors, and unmasks the sum with shares of those who stayed.
 *
 * <p>Order of calls: {@link #keys} for each client, {@link #closeKeys}, {@link #shares} for each, {@link #closeShares}, {@link #add} for
 * each, {@link #closeSum}, {@link #unmask} for each, {@link #reveal}. A client that misses a phase has dropped out. Masked vectors are
 * summed and not kept.
 */
public final class SecureSum {
    private final int round;
    private final int threshold;
    private final long[] sum;
    private final Map<String, String> keys = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> boxes = new LinkedHashMap<>();
    private final Set<String> added = new LinkedHashSet<>();
    private final Map<String, Map<Integer, byte[]>> seedShares = new HashMap<>();
    private final Map<String, Map<Integer, byte[]>> keyShares = new HashMap<>();
    private final Set<String> unmaskers = new LinkedHashSet<>();
    private List<String> order = List.of(); // holders of shares, in the order of their numbers

    public SecureSum(int round, int threshold, int size) {
        this.round = round;
        this.threshold = threshold;
        this.sum = new long[size];
    }

    public void keys(String client, String pair) {
        keys.put(client, pair);
    }

    /** The keys of all who sent theirs. */
    public Map<String, String> closeKeys() {
        requireEnough(keys.size(), "sent keys");
        order = new ArrayList<>(new TreeSet<>(keys.keySet()));
        return Map.copyOf(keys);
    }

    public void shares(String client, Map<String, String> envelopes) {
        if (!envelopes.keySet().equals(keys.keySet())) {
            throw new TuttiException("shares for " + envelopes.size() + " clients: expected one for each of the "
                    + keys.size() + " of the round");
        }
        boxes.put(client, Map.copyOf(envelopes));
    }

    public void closeShares() {
        requireEnough(boxes.size(), "sent shares");
    }

    /** The shares that others have sealed for a client. */
    public Map<String, String> sharesFor(String client) {
        Map<String, String> own = new LinkedHashMap<>();
        boxes.forEach((sender, envelopes) -> own.put(sender, envelopes.get(client)));
        return own;
    }

    public boolean hasShared(String client) {
        return boxes.containsKey(client);
    }

    /** Adds a masked vector. */
    public void add(String client, long[] masked) {
        if (masked.length != sum.length || !boxes.containsKey(client) || !added.add(client)) {
            throw new TuttiException("a masked vector of " + masked.length + " values from " + client
                    + ": expected one of " + sum.length + ", once, from a client that sent shares");
        }
        for (int i = 0; i < sum.length; i++) {
            sum[i] += masked[i];
        }
    }

    /** Who stayed and who dropped out after masks against it were made. */
    public Map<String, String> closeSum() {
        requireEnough(added.size(), "sent masked updates");
        Map<String, String> fates = new LinkedHashMap<>();
        boxes.keySet()
                .forEach(client -> fates.put(
                        client, added.contains(client) ? SecureParticipant.STAYED : SecureParticipant.DROPPED));
        return fates;
    }

    public boolean hasAdded(String client) {
        return added.contains(client);
    }

    public int added() {
        return added.size();
    }

    /** Takes the shares that a client gives up. */
    public void unmask(String client, Map<String, String> shares) {
        int holder = order.indexOf(client) + 1;
        if (!added.contains(client) || !shares.keySet().equals(boxes.keySet())) {
            throw new TuttiException("shares to unmask from " + client + " for " + shares.size()
                    + " clients: expected one for each of " + boxes.size());
        }
        if (unmaskers.add(client)) {
            shares.forEach((owner, share) -> (added.contains(owner) ? seedShares : keyShares)
                    .computeIfAbsent(owner, o -> new LinkedHashMap<>())
                    .put(holder, decode(share)));
        }
    }

    public int unmaskers() {
        return unmaskers.size();
    }

    /** The sum of the vectors of those who stayed. */
    public long[] reveal() {
        requireEnough(unmaskers.size(), "helped to unmask");
        for (String stayed : added) {
            MaskStream.apply(joined(seedShares.get(stayed)), false, sum);
        }
        for (String dropped : boxes.keySet()) {
            if (!added.contains(dropped)) {
                AgreementKey key = AgreementKey.ofSecret(joined(keyShares.get(dropped)));
                for (String stayed : added) {
                    byte[] seed = key.agree(
                            decode(keys.get(stayed).split(":", 2)[0]),
                            SecureParticipant.maskUse(round, stayed, dropped));
                    MaskStream.apply(seed, stayed.compareTo(dropped) > 0, sum);
                }
            }
        }
        return sum.clone();
    }

    private byte[] joined(Map<Integer, byte[]> shares) {
        Map<Integer, byte[]> some = new LinkedHashMap<>();
        shares.entrySet().stream().limit(threshold).forEach(share -> some.put(share.getKey(), share.getValue()));
        return SecretShares.join(some, AgreementKey.BYTES);
    }

    private static byte[] decode(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new TuttiException("expected bytes as base64: " + e.getMessage(), e);
        }
    }

    private void requireEnough(int count, String what) {
        if (count < threshold) {
            throw new TuttiException("only " + count + " clients " + what + ", and " + threshold + " are needed");
        }
    }
}
