package dev.tutti.federated.privacy;

import dev.tutti.TuttiException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A vector that follows from a seed and looks like noise without it: AES-256 in counter mode. */
final class MaskStream {
    private static final int PIECE = 8192;

    private MaskStream() {}

    /** Adds the mask of a seed to a vector, or takes it away; sums wrap around. */
    static void apply(byte[] seed, boolean add, long[] vector) {
        try {
            Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(seed, "AES"), new IvParameterSpec(new byte[16]));
            byte[] zeros = new byte[PIECE * Long.BYTES];
            byte[] noise = new byte[zeros.length];
            for (int from = 0; from < vector.length; from += PIECE) {
                int count = Math.min(PIECE, vector.length - from);
                cipher.update(zeros, 0, count * Long.BYTES, noise);
                var longs =
                        ByteBuffer.wrap(noise).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
                for (int i = 0; i < count; i++) {
                    vector[from + i] += add ? longs.get(i) : -longs.get(i);
                }
            }
        } catch (GeneralSecurityException e) {
            throw new TuttiException("this JVM cannot compute AES in counter mode", e);
        }
    }
}
