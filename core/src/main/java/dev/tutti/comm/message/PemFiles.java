package dev.tutti.comm.message;

import dev.tutti.comm.CommunicationException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates and keys in PEM files.
 *
 * @param certificate what this member shows
 * @param key its private key, as PKCS#8
 * @param trust certificates of those who are believed
 */
public record PemFiles(Path certificate, Path key, Path trust) {
    private static final char[] NO_PASSWORD = {};
    private static final String[] KEY_TYPES = {"RSA", "EC", "Ed25519"};

    /** What connections are made secret with; both sides have to show a certificate that the other one trusts. */
    public SSLContext context() {
        try {
            KeyStore own = emptyStore();
            Certificate[] chain = certificates(certificate).toArray(Certificate[]::new);
            own.setKeyEntry("member", privateKey(), NO_PASSWORD, chain);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, NO_PASSWORD);
            KeyStore believed = emptyStore();
            for (Certificate each : certificates(trust)) {
                believed.setCertificateEntry("trusted-" + believed.size(), each);
            }
            TrustManagerFactory trusts = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusts.init(believed);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(keys.getKeyManagers(), trusts.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new CommunicationException(
                    "expected a certificate, its key (PKCS#8) and trusted certificates in PEM format in " + certificate
                            + ", " + key + " and " + trust + ": " + e.getMessage(),
                    e);
        }
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private PrivateKey privateKey() throws IOException, GeneralSecurityException {
        String text = Files.readString(key).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text));
        InvalidKeySpecException failure = null;
        for (String type : KEY_TYPES) {
            try {
                return KeyFactory.getInstance(type).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                failure = e;
            }
        }
        throw failure;
    }
}
