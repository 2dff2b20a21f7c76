package dev.tutti.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** Certificates for tests. */
public final class TestingTlsFiles {
    private TestingTlsFiles() {}

    /** A certificate for this machine, made by the JDK's own tool. */
    public static TlsFiles make(Path folder, String name) throws Exception {
        Path store = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "a",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-keystore",
                        store.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "password")
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).as(said).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), "password".toCharArray());
        return TlsFiles.of(
                pem(
                        folder.resolve(name + ".crt"),
                        "CERTIFICATE",
                        keys.getCertificate("a").getEncoded()),
                pem(
                        folder.resolve(name + ".key"),
                        "PRIVATE KEY",
                        keys.getKey("a", "password".toCharArray()).getEncoded()));
    }

    private static Path pem(Path file, String kind, byte[] content) throws Exception {
        return Files.writeString(
                file,
                "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                        + kind + "-----\n");
    }
}
