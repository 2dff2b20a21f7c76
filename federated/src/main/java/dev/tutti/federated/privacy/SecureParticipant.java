package dev.tutti.federated.privacy;

import dev.tutti.TuttiException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A client's part in one round of secure aggregation.
 *
 * <p>Order of calls: {@link #keys}, {@link #shares}, {@link #mask}, {@link #unmask}, each once. The client gives up only one of the two
 * secrets of any other client, and only if enough stayed, so that no single update can be unmasked.
 */
public final class SecureParticipant {
    /** The state of a client in the eyes of the server, as {@link #unmask} is told it. */
    public static final String STAYED = "stayed";

    public static final String DROPPED = "dropped";

    private final String client;
    private final int round;
    private final SecureRandom random = new SecureRandom();
    private final AgreementKey maskKey = AgreementKey.generate();
    private final AgreementKey cipherKey = AgreementKey.generate();
    private final byte[] selfSeed = new byte[AgreementKey.BYTES];
    private Map<String, byte[][]> others = Map.of(); // public keys: mask, cipher
    private Map<String, byte[][]> held = Map.of(); // shares by owner: of its mask key, of its own seed
    private int threshold;
    private boolean unmasked;

    public SecureParticipant(String client, int round) {
        this.client = client;
        this.round = round;
        random.nextBytes(selfSeed);
    }

    /** The public keys, as text. */
    public String keys() {
        return text(maskKey.shown()) + ":" + text(cipherKey.shown());
    }

    /**
     * Shares of this client's secrets for all clients of the round, itself included, sealed for each.
     *
     * @param keys the public keys of all, by client
     */
    public Map<String, String> shares(Map<String, String> keys, int needed) {
        if (!keys.containsKey(client) || !keys.get(client).equals(keys())) {
            throw new TuttiException("the server's list of keys does not hold this client's own: the round is left");
        }
        if (needed < 2 || 2 * needed <= keys.size()) {
            throw new TuttiException("secure aggregation needs a threshold above half of the " + keys.size()
                    + " clients: received " + needed);
        }
        threshold = needed;
        others = new TreeMap<>();
        keys.forEach((name, pair) -> {
            String[] parts = pair.split(":", 2);
            others.put(name, new byte[][] {bytes(parts[0]), bytes(parts[parts.length - 1])});
        });
        List<String> order = new ArrayList<>(others.keySet());
        List<byte[]> ofKey = SecretShares.split(maskKey.secret(), order.size(), threshold, random);
        List<byte[]> ofSeed = SecretShares.split(selfSeed, order.size(), threshold, random);
        Map<String, String> envelopes = new LinkedHashMap<>();
        for (int i = 0; i < order.size(); i++) {
            byte[] content = ByteBuffer.allocate(Integer.BYTES + ofKey.get(i).length + ofSeed.get(i).length)
                    .putInt(ofKey.get(i).length)
                    .put(ofKey.get(i))
                    .put(ofSeed.get(i))
                    .array();
            envelopes.put(order.get(i), text(SealedBox.seal(channel(order.get(i)), content, random)));
        }
        return envelopes;
    }

    private byte[] channel(String other) {
        return cipherKey.agree(others.get(other)[1], "tutti shares " + round + " " + pair(client, other));
    }

    static String pair(String a, String b) {
        return a.compareTo(b) < 0 ? a + " " + b : b + " " + a;
    }

    static String maskUse(int round, String a, String b) {
        return "tutti mask " + round + " " + pair(a, b);
    }

    /**
     * The vector with masks: noise to all who do not know the secrets.
     *
     * @param received sealed shares, by the client that sent them; those clients are masked against
     */
    public long[] mask(long[] vector, Map<String, String> received) {
        if (received.size() < threshold) {
            throw new TuttiException("only " + received.size() + " clients are left, and " + threshold
                    + " are needed: the update is not sent");
        }
        held = new LinkedHashMap<>();
        received.forEach((sender, box) -> {
            if (!others.containsKey(sender)) {
                throw new TuttiException("shares came from " + sender + ", which is not in the round");
            }
            ByteBuffer content = ByteBuffer.wrap(SealedBox.open(channel(sender), bytes(box)));
            byte[] ofKey = new byte[content.getInt()];
            content.get(ofKey);
            byte[] ofSeed = new byte[content.remaining()];
            content.get(ofSeed);
            held.put(sender, new byte[][] {ofKey, ofSeed});
        });
        long[] masked = vector.clone();
        MaskStream.apply(selfSeed, true, masked);
        for (String other : received.keySet()) {
            if (!other.equals(client)) {
                byte[] seed = maskKey.agree(others.get(other)[0], maskUse(round, client, other));
                MaskStream.apply(seed, client.compareTo(other) < 0, masked);
            }
        }
        return masked;
    }

    /**
     * The shares that unmask the sum: of the own seed of those who stayed, of the mask key of those who dropped out.
     *
     * @param fates {@link #STAYED} or {@link #DROPPED}, by client
     */
    public Map<String, String> unmask(Map<String, String> fates) {
        long stayed = fates.values().stream().filter(STAYED::equals).count();
        if (unmasked || stayed < threshold || !held.keySet().containsAll(fates.keySet())) {
            throw new TuttiException("the server asked for shares that would unmask a single update: "
                    + (unmasked ? "it asked before" : stayed + " clients stayed, " + threshold + " are needed"));
        }
        unmasked = true;
        Map<String, String> given = new LinkedHashMap<>();
        fates.forEach((owner, fate) -> given.put(owner, text(held.get(owner)[fate.equals(STAYED) ? 1 : 0])));
        return given;
    }

    private static String text(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] bytes(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new TuttiException("expected bytes as base64: " + e.getMessage(), e);
        }
    }
}
