package dev.tutti.serve.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.serve.SmallModels;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.model.ServingSettings;
import dev.tutti.serve.route.RouterServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TensorFlow Serving's gRPC by its bytes; {@link RealClientsTest} asks by TensorFlow's own client. */
@Timeout(120)
class TensorFlowGrpcTest {
    private static final String PREDICTION = "/tensorflow.serving.PredictionService/";

    @TempDir
    Path folder;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    private InferenceServer server;

    @BeforeEach
    void start() {
        SmallModels.write(folder.resolve("models/m/1"), 1);
        SmallModels.write(folder.resolve("models/m/2"), 2);
        server = InferenceServer.start(
                folder.resolve("models"), ServingSettings.standard().replicas(1), HttpSettings.local(0));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<byte[]> call(String path, ProtoWriter message) throws IOException, InterruptedException {
        return call(server.uri(), path, message);
    }

    private HttpResponse<byte[]> call(URI to, String path, ProtoWriter message)
            throws IOException, InterruptedException {
        byte[] body = message.toBytes();
        ByteBuffer frame = ByteBuffer.allocate(body.length + 5)
                .put((byte) 0)
                .putInt(body.length)
                .put(body);
        return client.send(
                HttpRequest.newBuilder(to.resolve(path))
                        .header("Content-Type", "application/grpc")
                        .header("te", "trailers")
                        .timeout(Duration.ofSeconds(60))
                        .POST(HttpRequest.BodyPublishers.ofByteArray(frame.array()))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    /** The message of an answer. */
    private ProtoReader ask(String path, ProtoWriter message) throws IOException, InterruptedException {
        HttpResponse<byte[]> reply = call(path, message);
        assertThat(reply.headers().firstValue("grpc-message")).as("failure").isEmpty();
        ByteBuffer body = ByteBuffer.wrap(reply.body());
        assertThat(body.get()).isZero();
        assertThat(body.getInt()).isEqualTo(body.remaining());
        return new ProtoReader(body);
    }

    private static ProtoWriter spec(long version) {
        ProtoWriter spec = new ProtoWriter().text(1, "m");
        return version == 0 ? spec : spec.message(2, new ProtoWriter().varint(1, version));
    }

    /** The fields of a message with a number. */
    private static List<ByteBuffer> fields(ByteBuffer message, int field) {
        List<ByteBuffer> found = new ArrayList<>();
        ProtoReader reader = new ProtoReader(message);
        while (reader.next()) {
            if (reader.field() == field && reader.kind() == ProtoReader.BYTES) {
                found.add(reader.bytes());
            } else {
                reader.skip();
            }
        }
        return found;
    }

    /** The first field under a path of numbers. */
    private static ByteBuffer at(ByteBuffer message, int... path) {
        ByteBuffer here = message;
        for (int field : path) {
            here = fields(here, field).get(0);
        }
        return here;
    }

    private static ByteBuffer whole(ProtoReader message) {
        ProtoWriter copy = new ProtoWriter();
        while (message.next()) {
            ByteBuffer bytes = message.bytes();
            byte[] array = new byte[bytes.remaining()];
            bytes.get(array);
            copy.bytes(message.field(), array);
        }
        return ByteBuffer.wrap(copy.toBytes());
    }

    private ByteBuffer predict(ProtoWriter tensor, long version) throws IOException, InterruptedException {
        ProtoWriter request = new ProtoWriter().message(1, spec(version)).entry(2, "input", tensor);
        return whole(ask(PREDICTION + "Predict", request));
    }

    private static List<Float> numbers(ByteBuffer answer) {
        ByteBuffer content = at(answer, 1, 2, 4).order(ByteOrder.LITTLE_ENDIAN);
        List<Float> numbers = new ArrayList<>();
        while (content.hasRemaining()) {
            numbers.add(content.getFloat());
        }
        return numbers;
    }

    private static ProtoWriter dims(long... extents) {
        ProtoWriter shape = new ProtoWriter();
        for (long extent : extents) {
            shape.message(2, new ProtoWriter().varint(1, extent));
        }
        return shape;
    }

    @Test
    void rawBytesAndListsOfNumbersArePredictedByTheVersionThatIsAskedFor() throws Exception {
        ProtoWriter raw = TensorFlowTensor.message(NdArray.of(new float[] {1, 2, 3, 4}, 1, 4));
        assertThat(numbers(predict(raw, 0))).containsExactly(10f, 20f, 2f);
        assertThat(numbers(predict(raw, 1))).containsExactly(10f, 20f, 1f);
        ProtoWriter longs = TensorFlowTensor.message(NdArray.of(new long[] {1, 2, 3, 4}, 1, 4));
        assertThat(numbers(predict(longs, 0))).containsExactly(10f, 20f, 2f);
        ProtoWriter listed = new ProtoWriter()
                .varint(1, 3)
                .message(2, dims(2, 4))
                .packed(7, 1, 2, 3, 4, -1); // the last number fills up the second row
        assertThat(numbers(predict(listed, 0))).containsExactly(10f, 20f, 2f, -4f, -8f, 2f);
        ProtoWriter halves =
                new ProtoWriter().varint(1, 19).message(2, dims(1, 4)).packed(13, 0x3c00, 0x4000, 0x4200, 0x4400);
        assertThat(numbers(predict(halves, 0))).containsExactly(10f, 20f, 2f);
    }

    @Test
    void aModelTellsItsSignatureItsVersionsAndItsClasses() throws Exception {
        ByteBuffer metadata = whole(ask(
                PREDICTION + "GetModelMetadata",
                new ProtoWriter().message(1, spec(0)).element(2, "signature_def")));
        String signature = StandardCharsets.ISO_8859_1.decode(at(metadata, 2)).toString();
        assertThat(signature).contains("SignatureDefMap", "serving_default", "input:0", "output:0");
        ByteBuffer status =
                whole(ask("/tensorflow.serving.ModelService/GetModelStatus", new ProtoWriter().message(1, spec(0))));
        assertThat(fields(status, 1)).hasSize(2);

        ProtoWriter feature = new ProtoWriter().message(2, new ProtoWriter().bytes(1, floats(1, 2, 3, 4)));
        ProtoWriter example = new ProtoWriter().message(1, new ProtoWriter().entry(1, "input", feature));
        ProtoWriter input = new ProtoWriter().message(1, new ProtoWriter().message(1, example));
        ByteBuffer classified = whole(ask(
                PREDICTION + "Classify", new ProtoWriter().message(1, spec(0)).message(2, input)));
        List<ByteBuffer> classes = fields(at(classified, 1, 1), 1);
        assertThat(classes).hasSize(3);
        assertThat(StandardCharsets.UTF_8.decode(at(classes.get(1), 1)).toString())
                .isEqualTo("high");
    }

    @Test
    void aRouterPassesItOn() throws Exception {
        ProtoWriter raw = TensorFlowTensor.message(NdArray.of(new float[] {1, 2, 3, 4}, 1, 4));
        try (RouterServer router = RouterServer.start(List.of(server.uri()), HttpSettings.local(0), Optional.empty())) {
            ProtoWriter request = new ProtoWriter().message(1, spec(0)).entry(2, "input", raw);
            HttpResponse<byte[]> reply = call(router.uri(), PREDICTION + "Predict", request);
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (reply.statusCode() == 503 && System.nanoTime() < deadline) { // its health is not known at once
                Thread.sleep(20);
                reply = call(router.uri(), PREDICTION + "Predict", request);
            }
            assertThat(reply.statusCode()).isEqualTo(200);
            assertThat(reply.body()).hasSizeGreaterThan(5);
        }
    }

    private static byte[] floats(float... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float number : numbers) {
            bytes.putFloat(number);
        }
        return bytes.array();
    }

    @Test
    void errorsHaveTheCodesOfGrpcAndSayWhatWasExpected() throws Exception {
        assertFails(NdArray.of(new float[] {1, 2, 3}, 1, 3), spec(0), "3", "[4]");
        assertFails(NdArray.of(new float[] {1, 2, 3, 4}, 1, 4), spec(9), "5", "no version 9");
        assertFails(NdArray.of(new float[] {1, 2, 3, 4}, 1, 4), new ProtoWriter().text(1, "n"), "5", "no model");
        assertFails(NdArray.of(new float[] {1, 2, 3, 4}, 1, 4), spec(0).text(3, "other"), "3", "serving_default");
        ProtoWriter huge =
                new ProtoWriter().varint(1, 3).message(2, dims(1 << 26, 4)).packed(7, 1);
        HttpResponse<byte[]> reply = call(
                PREDICTION + "Predict", new ProtoWriter().message(1, spec(0)).entry(2, "input", huge));
        assertThat(reply.headers().firstValue("grpc-status")).contains("3");
    }

    private void assertFails(NdArray rows, ProtoWriter spec, String status, String words) throws Exception {
        HttpResponse<byte[]> reply = call(
                PREDICTION + "Predict",
                new ProtoWriter().message(1, spec).entry(2, "input", TensorFlowTensor.message(rows)));
        assertThat(reply.headers().firstValue("grpc-status")).contains(status);
        assertThat(java.net.URLDecoder.decode(
                        reply.headers().firstValue("grpc-message").orElseThrow(), StandardCharsets.UTF_8))
                .contains(words);
    }
}
