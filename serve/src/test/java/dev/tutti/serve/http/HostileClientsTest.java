package dev.tutti.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.serve.HttpTester;
import dev.tutti.serve.SmallModels;
import dev.tutti.serve.model.ServingSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that are slow, huge, many or mad: each gets an error or is dropped, and the service goes on for the others. */
@Timeout(120)
class HostileClientsTest {
    private static final String ROW = "{\"rows\": [[1, 2, 3, 4]]}";

    @TempDir
    Path folder;

    private InferenceServer server;

    @BeforeEach
    void start() {
        SmallModels.write(folder.resolve("m"), 2);
        server = InferenceServer.start(
                folder.resolve("m"),
                ServingSettings.standard().replicas(1),
                HttpSettings.local(0).maxBodyBytes(1 << 20).requestTimeout(Duration.ofSeconds(2)));
    }

    @AfterEach
    void goesOn() {
        try (InferenceServer closing = server) {
            HttpTester http = new HttpTester(closing.uri());
            HttpTester.Reply reply = http.post("/models/m/predict", ROW);
            assertThat(reply.status()).as(reply.body()).isEqualTo(200);
            assertThat(reply.json().at("/predictions/0/output/2").asDouble()).isEqualTo(2);
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", server.port()), 5_000);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static byte[] head(String length) {
        return ("POST /models/m/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                        + length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** What the server says until it closes the connection or a whole head is there. */
    private static String answer(Socket socket) throws IOException {
        StringBuilder text = new StringBuilder();
        InputStream in = socket.getInputStream();
        for (int each = in.read(); each >= 0 && text.indexOf("\r\n\r\n") < 0; each = in.read()) {
            text.append((char) each);
        }
        return text.toString();
    }

    @Test
    void aSlowWriterIsCutOffAndOthersAreAnsweredMeanwhile() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                Socket socket = connect();
                socket.getOutputStream().write(head("1000"));
                socket.getOutputStream().write('{');
                slow.add(socket);
            }
            assertThat(new HttpTester(server.uri())
                            .post("/models/m/predict", ROW)
                            .status())
                    .isEqualTo(200);
            for (Socket socket : slow) {
                assertThat(answer(socket))
                        .containsAnyOf(" 408 ", " 503 ", " 504 ", " 400 ")
                        .doesNotContain(" 500 ");
            }
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void aReaderThatNeverReadsHoldsUpItselfAlone() throws Exception {
        List<Socket> deaf = new ArrayList<>();
        try {
            byte[] request =
                    ("GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 20; i++) {
                Socket socket = connect();
                socket.setReceiveBufferSize(1_024);
                for (int repeat = 0; repeat < 40; repeat++) {
                    socket.getOutputStream().write(request);
                }
                deaf.add(socket);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(new HttpTester(server.uri())
                                .post("/models/m/predict", ROW)
                                .status())
                        .isEqualTo(200);
            }
        } finally {
            for (Socket socket : deaf) {
                socket.close();
            }
        }
    }

    @Test
    void aGigabyteIsRefusedBeforeItIsRead() throws Exception {
        long before = usedAfterCollection();
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write(head(Long.toString(1L << 30)));
            byte[] piece = new byte[1 << 20];
            try {
                for (int i = 0; i < 1 << 10; i++) {
                    out.write(piece);
                }
            } catch (IOException e) {
                // The server has closed the connection: it did not read on.
            }
            try {
                assertThat(answer(socket)).contains(" 413 ");
            } catch (java.net.SocketException e) {
                // Its answer was overtaken by the reset of a connection that was written to.
            }
        }
        assertThat(usedAfterCollection() - before).as("bytes kept").isLessThan(32 << 20);
    }

    private static long usedAfterCollection() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void pathTricksReachNothing() throws Exception {
        Files.writeString(folder.resolve("secret.txt"), "secret");
        for (String path : List.of(
                "/models/..%2f..%2fsecret.txt/predict",
                "/models/%2e%2e/predict",
                "/v2/models/m/versions/..%2f1",
                "/v1/models/m/labels/..:predict",
                "/models/m%00/predict",
                "/page/..%2f..%2f..%2fsecret.txt",
                "/../../secret.txt",
                "//secret.txt")) {
            try (Socket socket = connect()) {
                socket.getOutputStream()
                        .write(("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n[]")
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(answer(socket)).as(path).containsAnyOf(" 404 ", " 400 ", " 405 ");
            }
        }
    }

    @Test
    void noBytesOfAnyProtocolAreADefectOfOurs() throws Exception {
        Random random = new Random(11);
        byte[] json = "{\"inputs\":[{\"name\":\"input\",\"shape\":[1,4],\"datatype\":\"FP32\",\"data\":[1,2,3,4]}]}"
                .getBytes(StandardCharsets.UTF_8);
        byte[] proto = {0x0a, 1, 'm', 0x2a, 12, 0x0a, 5, 'i', 'n', 'p', 'u', 't', 0x12, 4, 'F', 'P', '3', '2'};
        HttpClient plain = HttpClient.newHttpClient();
        TreeMap<Integer, Integer> statuses = new TreeMap<>();
        for (int i = 0; i < 300; i++) {
            byte[] body = changed(json, random);
            var reply = plain.send(
                    HttpRequest.newBuilder(server.uri()
                                    .resolve(List.of("/v2/models/m/infer", "/models/m/predict", "/v1/models/m:predict")
                                            .get(i % 3)))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                            .build(),
                    BodyHandlers.ofString());
            statuses.merge(reply.statusCode(), 1, Integer::sum);
            assertThat(reply.statusCode())
                    .as(new String(body, StandardCharsets.ISO_8859_1))
                    .isLessThan(500);
        }
        assertThat(statuses).containsKey(400);
        HttpClient two =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        for (int i = 0; i < 200; i++) {
            byte[] message = changed(proto, random);
            byte[] frame = new byte[message.length + 5];
            frame[3] = (byte) (message.length >> 8);
            frame[4] = (byte) message.length;
            System.arraycopy(message, 0, frame, 5, message.length);
            var reply = two.send(
                    HttpRequest.newBuilder(server.uri().resolve("/inference.GRPCInferenceService/ModelInfer"))
                            .header("Content-Type", "application/grpc")
                            .header("te", "trailers")
                            .POST(HttpRequest.BodyPublishers.ofByteArray(i % 10 == 0 ? message : frame))
                            .timeout(Duration.ofSeconds(10))
                            .build(),
                    BodyHandlers.ofByteArray());
            assertThat(reply.statusCode()).isLessThan(500);
            boolean framed = i % 10 != 0; // gRPC itself calls a broken frame INTERNAL
            reply.headers()
                    .firstValue("grpc-status")
                    .filter(status -> framed)
                    .ifPresent(status ->
                            assertThat(status).as("not INTERNAL or UNKNOWN").isNotIn("2", "13"));
        }
    }

    /** Bytes flipped, cut, doubled or put in. */
    private static byte[] changed(byte[] whole, Random random) {
        StringBuilder text = new StringBuilder(new String(whole, StandardCharsets.ISO_8859_1));
        for (int i = 0; i <= random.nextInt(4) && text.length() > 0; i++) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.setCharAt(at, (char) random.nextInt(256));
                case 1 -> text.setLength(at);
                case 2 -> text.insert(at, text.substring(at));
                default ->
                    text.insert(
                            at,
                            List.of("[", "{", "\"", "1e999", "-", "null", "NaN", "\u0000", "99999999999999999999")
                                    .get(random.nextInt(9)));
            }
        }
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void tlsIsSpokenByACertificateInPem() throws Exception {
        Path store = folder.resolve("key.p12");
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
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        store.toString(),
                        "-validity",
                        "2")
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "changeit".toCharArray());
        }
        Certificate certificate = keys.getCertificate("a");
        Path pem = pem("CERTIFICATE", certificate.getEncoded());
        Path key = pem("PRIVATE KEY", keys.getKey("a", "changeit".toCharArray()).getEncoded());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("a", certificate);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        try (InferenceServer secure = InferenceServer.start(
                folder.resolve("m"),
                ServingSettings.standard().replicas(1),
                HttpSettings.local(0).tls(pem, key))) {
            assertThat(secure.uri().getScheme()).isEqualTo("https");
            var reply = HttpClient.newBuilder()
                    .sslContext(context)
                    .build()
                    .send(
                            HttpRequest.newBuilder(URI.create(secure.uri() + "/models/m/predict"))
                                    .header("Content-Type", "application/json")
                                    .POST(HttpRequest.BodyPublishers.ofString(ROW))
                                    .build(),
                            BodyHandlers.ofString());
            assertThat(reply.statusCode()).isEqualTo(200);
            try (Socket plain = new Socket("127.0.0.1", secure.port())) {
                plain.setSoTimeout(10_000);
                plain.getOutputStream().write(head("2"));
                assertThat(answer(plain).toLowerCase(Locale.ROOT)).doesNotContain(" 200 ");
            }
        }
    }

    private Path pem(String kind, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(
                folder.resolve(kind.replace(' ', '-') + ".pem"),
                "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
