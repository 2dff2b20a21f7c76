package dev.tutti.federated.privacy;

import dev.tutti.TuttiException;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.XECPrivateKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A key by which two clients agree on a secret that no process between them learns: X25519, then HKDF with SHA-256. */
final class AgreementKey {
    static final int BYTES = 32;

    private final PrivateKey secret;
    private final byte[] shown; // null where only the secret part was put together again

    private AgreementKey(PrivateKey secret, byte[] shown) {
        this.secret = secret;
        this.shown = shown;
    }

    static AgreementKey generate() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance("X25519").generateKeyPair();
            return new AgreementKey(pair.getPrivate(), littleEndian(((XECPublicKey) pair.getPublic()).getU()));
        } catch (GeneralSecurityException e) {
            throw new TuttiException("this JVM has no X25519", e);
        }
    }

    /** The key of a client that dropped out, put together from shares. */
    static AgreementKey ofSecret(byte[] scalar) {
        try {
            return new AgreementKey(
                    KeyFactory.getInstance("X25519")
                            .generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, scalar)),
                    null);
        } catch (GeneralSecurityException e) {
            throw new TuttiException("a secret key could not be put together from its shares", e);
        }
    }

    byte[] shown() {
        return shown.clone();
    }

    byte[] secret() {
        return ((XECPrivateKey) secret).getScalar().orElseThrow();
    }

    /** The secret shared with the owner of another key, for one use. */
    byte[] agree(byte[] other, String use) {
        try {
            KeyAgreement agreement = KeyAgreement.getInstance("X25519");
            agreement.init(secret);
            agreement.doPhase(
                    KeyFactory.getInstance("X25519")
                            .generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, bigInteger(other))),
                    true);
            return hkdf(agreement.generateSecret(), use);
        } catch (GeneralSecurityException e) {
            throw new TuttiException("another client's public key cannot be used: " + e.getMessage(), e);
        }
    }

    /** One block of HKDF, which is all that is needed. */
    private static byte[] hkdf(byte[] input, String use) throws GeneralSecurityException {
        byte[] prk = hmac(new byte[BYTES], input);
        ByteArrayOutputStream info = new ByteArrayOutputStream();
        info.writeBytes(use.getBytes(StandardCharsets.UTF_8));
        info.write(1);
        return hmac(prk, info.toByteArray());
    }

    private static byte[] hmac(byte[] key, byte[] data) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(data);
    }

    private static byte[] littleEndian(BigInteger value) {
        byte[] big = value.toByteArray();
        byte[] out = new byte[BYTES];
        for (int i = 0; i < Math.min(BYTES, big.length); i++) {
            out[i] = big[big.length - 1 - i];
        }
        return out;
    }

    private static BigInteger bigInteger(byte[] littleEndian) {
        if (littleEndian.length != BYTES) {
            throw new TuttiException("a public key has " + BYTES + " bytes: received " + littleEndian.length);
        }
        byte[] big = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            big[i] = littleEndian[BYTES - 1 - i];
        }
        return new BigInteger(1, big);
    }
}
