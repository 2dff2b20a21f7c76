package dev.tutti.comm.message;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;

/** Certificates that trust themselves, made by the JDK's own tool. */
public final class TestingCertificates {
    private static final String FOLDER = "tutti.test.certificates";
    private static final String CERTIFICATE = "certificate.pem";
    private static final String KEY = "key.pem";

    private static PemFiles certificate;
    private static Path folder;

    private TestingCertificates() {}

    /** What lets another JVM use the shared one. */
    public static String option() {
        shared();
        return "-D" + FOLDER + "=" + folder;
    }

    /** One that is made once, or that of another JVM whose folder the property names. */
    public static synchronized PemFiles shared() {
        if (certificate == null) {
            String other = System.getProperty(FOLDER);
            try {
                folder = other == null ? Files.createTempDirectory("tutti-tls") : Path.of(other);
                certificate = other == null
                        ? newCertificate(folder)
                        : new PemFiles(folder.resolve(CERTIFICATE), folder.resolve(KEY), folder.resolve(CERTIFICATE));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        return certificate;
    }

    public static PemFiles newCertificate(Path folder) throws Exception {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "member",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=member",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "password",
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException(said);
        }
        KeyStore keys = KeyStore.getInstance(store.toFile(), "password".toCharArray());
        Key key = keys.getKey("member", "password".toCharArray());
        byte[] shown = keys.getCertificate("member").getEncoded();
        Path certificateFile = pem(folder.resolve(CERTIFICATE), "CERTIFICATE", shown);
        return new PemFiles(
                certificateFile, pem(folder.resolve(KEY), "PRIVATE KEY", key.getEncoded()), certificateFile);
    }

    private static Path pem(Path file, String what, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder().encodeToString(content);
        return Files.writeString(file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
    }
}
