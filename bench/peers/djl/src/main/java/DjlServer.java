import ai.djl.Model;
import ai.djl.inference.Predictor;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.pooling.Pool;
import ai.djl.translate.Translator;
import ai.djl.translate.TranslatorContext;
import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Executors;

/** DJL's predictor behind the JDK's HTTP server, one predictor for each thread: DjlServer mlp|cnn PORT. */
public final class DjlServer {
    private static final int THREADS = 32;

    private DjlServer() {}

    public static void main(String[] arguments) throws Exception {
        boolean rows = arguments[0].equals("mlp");
        Shape shape = rows ? new Shape(784) : new Shape(1, 28, 28);
        Model model = Model.newInstance(arguments[0], "PyTorch");
        SequentialBlock block = rows ? mlp() : cnn();
        block.initialize(
                model.getNDManager(), DataType.FLOAT32, rows ? new Shape(1, 784) : new Shape(1, 1, 28, 28));
        model.setBlock(block);
        ThreadLocal<Predictor<float[], float[]>> predictors =
                ThreadLocal.withInitial(() -> model.newPredictor(new Rows(shape)));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[1])), 256);
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        server.createContext("/predict", exchange -> answer(exchange, predictors.get()));
        server.start();
    }

    private static SequentialBlock mlp() {
        return new SequentialBlock()
                .add(Linear.builder().setUnits(512).build())
                .add(Activation.reluBlock())
                .add(Linear.builder().setUnits(512).build())
                .add(Activation.reluBlock())
                .add(Linear.builder().setUnits(10).build());
    }

    private static SequentialBlock cnn() {
        return new SequentialBlock()
                .add(Conv2d.builder().setFilters(16).setKernelShape(new Shape(3, 3)).build())
                .add(Activation.reluBlock())
                .add(Pool.maxPool2dBlock(new Shape(2, 2), new Shape(2, 2)))
                .add(Conv2d.builder().setFilters(32).setKernelShape(new Shape(3, 3)).build())
                .add(Activation.reluBlock())
                .add(Pool.maxPool2dBlock(new Shape(2, 2), new Shape(2, 2)))
                .add(Blocks.batchFlattenBlock())
                .add(Linear.builder().setUnits(10).build());
    }

    /** One row of numbers in, one row of numbers out. */
    private record Rows(Shape shape) implements Translator<float[], float[]> {
        @Override
        public NDList processInput(TranslatorContext context, float[] row) {
            return new NDList(context.getNDManager().create(row, shape));
        }

        @Override
        public float[] processOutput(TranslatorContext context, NDList outputs) {
            return outputs.singletonOrThrow().toFloatArray();
        }
    }

    private static void answer(HttpExchange exchange, Predictor<float[], float[]> predictor) throws IOException {
        try (exchange) {
            JsonArray data = JsonParser.parseReader(
                            new InputStreamReader(exchange.getRequestBody(), StandardCharsets.UTF_8))
                    .getAsJsonObject()
                    .getAsJsonArray("inputs")
                    .get(0)
                    .getAsJsonObject()
                    .getAsJsonArray("data");
            float[] row = new float[data.size()];
            for (int i = 0; i < row.length; i++) {
                row[i] = data.get(i).getAsFloat();
            }
            float[] outputs = predictor.predict(row);
            byte[] body = ("{\"outputs\":[{\"name\":\"output\",\"shape\":[1," + outputs.length
                            + "],\"datatype\":\"FP32\",\"data\":" + Arrays.toString(outputs) + "}]}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
