package dev.tutti.federated.privacy;

import dev.tutti.TuttiException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** What one client sends another by way of the server, which cannot read or change it: AES-256-GCM. */
final class SealedBox {
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private SealedBox() {}

    static byte[] seal(byte[] key, byte[] content, SecureRandom random) {
        byte[] nonce = new byte[NONCE];
        random.nextBytes(nonce);
        byte[] closed = run(Cipher.ENCRYPT_MODE, key, nonce, content);
        byte[] out = Arrays.copyOf(nonce, NONCE + closed.length);
        System.arraycopy(closed, 0, out, NONCE, closed.length);
        return out;
    }

    static byte[] open(byte[] key, byte[] box) {
        if (box.length < NONCE) {
            throw new TuttiException("a message from another client is cut short");
        }
        return run(Cipher.DECRYPT_MODE, key, Arrays.copyOf(box, NONCE), Arrays.copyOfRange(box, NONCE, box.length));
    }

    private static byte[] run(int mode, byte[] key, byte[] nonce, byte[] content) {
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
            return cipher.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new TuttiException("a message from another client was changed on its way, or is not for us", e);
        }
    }
}
