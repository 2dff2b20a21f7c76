package dev.tutti.federated.client;

import dev.tutti.TuttiException;
import dev.tutti.cluster.rpc.TlsFiles;
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
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The certificates of a client, from PEM files. */
public final class ClientTls {
    private ClientTls() {}

    /**
     * Makes what {@link FederatedClient#tls} takes.
     *
     * @param files whom the client believes and, for mutual TLS, its own certificate and PKCS#8 key
     * @throws TuttiException if a file cannot be read or does not hold what it should
     */
    public static SSLContext of(TlsFiles files) {
        try {
            KeyStore trusted = empty();
            int number = 0;
            for (Certificate certificate : certificates(files.trust())) {
                trusted.setCertificateEntry("trusted" + number++, certificate);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            KeyStore own = empty();
            if (files.certificate() != null) {
                own.setKeyEntry(
                        "own",
                        key(files.key()),
                        new char[0],
                        certificates(files.certificate()).toArray(new Certificate[0]));
            }
            keys.init(own, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new TuttiException("the certificates cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        String text = Files.readString(file).replaceAll("-----[^-]+-----", "").replaceAll("\\s", "");
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text));
        for (String algorithm : new String[] {"RSA", "EC", "Ed25519"}) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (GeneralSecurityException e) {
                continue; // of another kind
            }
        }
        throw new GeneralSecurityException(file + " holds no private key in the format PKCS#8 of RSA, EC or Ed25519");
    }
}
