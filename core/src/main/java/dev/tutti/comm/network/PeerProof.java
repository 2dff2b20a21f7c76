package dev.tutti.comm.network;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes sure that behind every connection of a new group there is the member that it is meant for.
 *
 * <p>Ports of members accept any connection while a group comes together. So each member sends a random number to all others, then a
 * keyed hash over its rank and the numbers of all. The key is a note on the group's bulletin board, which only members can read.
 */
final class PeerProof {
    private static final String NOTE = "secret";
    private static final String PURPOSE = "making sure that all are members";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int NUMBER_BYTES = 16;
    private static final int HASH_BYTES = 32;

    private final Group group;
    private final NetworkWire wire;
    private final byte[] key;

    private PeerProof(Group group, NetworkWire wire, byte[] key) {
        this.group = group;
        this.wire = wire;
        this.key = key;
    }

    /**
     * Every member calls it before anything else is sent.
     *
     * @throws MemberLostException if a connection leads to a process that does not know the key, or to one that does not answer
     */
    static void exchange(Group group, BulletinBoard board, NetworkWire wire) {
        String secret = group.rank() == 0 ? HexFormat.of().formatHex(random()) : board.read(NOTE);
        if (group.rank() == 0) {
            board.post(NOTE, secret);
        }
        new PeerProof(group, wire, secret.getBytes(StandardCharsets.US_ASCII)).exchange();
    }

    private static byte[] random() {
        byte[] bytes = new byte[NUMBER_BYTES];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    private void exchange() {
        byte[][] numbers = wire.exchange(random(), PURPOSE);
        byte[][] proofs = wire.exchange(proof(group.rank(), numbers), PURPOSE);
        for (int rank = 0; rank < group.size(); rank++) {
            if (!MessageDigest.isEqual(proof(rank, numbers), Arrays.copyOf(proofs[rank], HASH_BYTES))) {
                throw new MemberLostException(
                        List.of(),
                        "the connection to " + group.members().get(rank)
                                + " was answered by a process that is no member of the group: is its port open to"
                                + " strangers?");
            }
        }
    }

    private byte[] proof(int rank, byte[][] numbers) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                    .putLong(group.generation())
                    .putInt(rank)
                    .flip());
            for (byte[] number : numbers) {
                mac.update(number, 0, NUMBER_BYTES);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
        }
    }
}
