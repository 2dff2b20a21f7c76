package dev.tutti.federated.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that show certificates: their names are their identities. */
@Timeout(120)
class MutualTlsTest {
    @TempDir
    private Path folder;

    /** A certificate that signs itself, and its key. */
    private TlsFiles certificate(String name) throws Exception {
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
                        "CN=" + name,
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
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).as(said).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), "password".toCharArray());
        return TlsFiles.of(
                pem(name + ".crt", "CERTIFICATE", keys.getCertificate("a").getEncoded()),
                pem(
                        name + ".key",
                        "PRIVATE KEY",
                        keys.getKey("a", "password".toCharArray()).getEncoded()));
    }

    private Path pem(String file, String what, byte[] content) throws Exception {
        return Files.writeString(
                folder.resolve(file),
                "-----BEGIN " + what + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + what
                        + "-----\n");
    }

    @Test
    void aClientIsItsCertificate() throws Exception {
        TlsFiles own = certificate("server");
        TlsFiles ward = certificate("ward-3");
        TlsFiles stranger = certificate("stranger");
        FederatedJob job = ClusterRows.job(folder.resolve("out"))
                .selection(new Selection().minimum(1))
                .least(1)
                .rounds(1);
        ListenSettings settings =
                ListenSettings.local(0).tls(new TlsFiles(own.certificate(), own.key(), ward.certificate()));
        try (FederatedServer server = FederatedServer.start(job, settings)) {
            assertThat(server.uri().getScheme()).isEqualTo("https");
            FederatedClient unknown = client(server, stranger, own);
            assertThatThrownBy(unknown::run).isInstanceOf(TuttiException.class).hasMessageContaining("was not reached");
            CompletableFuture<FederatedClient.Summary> welcome = CompletableFuture.supplyAsync(
                    () -> client(server, ward, own).run());
            assertThat(server.await(Duration.ofSeconds(60))).hasSize(1);
            assertThat(welcome.get(30, TimeUnit.SECONDS).client()).isEqualTo("ward-3");
        }
    }

    private static FederatedClient client(FederatedServer server, TlsFiles shown, TlsFiles believed) {
        return FederatedClient.to(server.uri())
                .data("rows", ClusterRows.of(0))
                .patience(Duration.ofSeconds(2))
                .tls(ClientTls.of(new TlsFiles(shown.certificate(), shown.key(), believed.certificate())));
    }
}
