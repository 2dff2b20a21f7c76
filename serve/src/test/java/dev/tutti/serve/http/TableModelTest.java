package dev.tutti.serve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.loss.Loss;
import dev.tutti.loss.Losses;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.serve.HttpTester;
import dev.tutti.serve.model.ServingSettings;
import dev.tutti.source.Sources;
import dev.tutti.source.column.CategoryColumn;
import dev.tutti.source.column.Columns;
import dev.tutti.source.column.LabelColumn;
import dev.tutti.source.column.NumericColumn;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models that were trained on tables: raw rows go in, answers in the words and units of the label come out. */
class TableModelTest {
    @TempDir
    Path folder;

    /** The first number with weight 1 as it is; for classes, against its negative. */
    private Path write(String name, Columns columns, int inputs, int outputs, Loss loss) {
        try (Model model = Model.of(Sequential.of(Layers.dense(outputs)), Input.of(inputs))) {
            Map<String, NdArray> values = new LinkedHashMap<>();
            model.arrays().forEach((key, array) -> {
                float[] numbers = new float[array.size()];
                if (array.shape().rank() == 2) {
                    boolean byOutput = array.shape().dim(0) == outputs;
                    numbers[0] = 1;
                    if (outputs > 1) {
                        numbers[byOutput ? inputs : 1] = -1;
                    }
                }
                values.put(key, NdArray.of(numbers, array.shape().toArray()));
            });
            model.load(values, "test");
            SavedModel.write(
                    folder.resolve("models").resolve(name).resolve("1"),
                    model,
                    new SavedModel.Features(List.of(columns), columns.classes()),
                    null,
                    SavedModel.Made.now("test", 1, new TrainingConfig(Optimizers.sgd(0.1), loss, List.of(), 0, 1)));
        }
        return folder.resolve("models");
    }

    private Columns fitted(LabelColumn label) throws IOException {
        StringBuilder text = new StringBuilder("size,town,price,kind\n");
        for (int i = 0; i < 100; i++) {
            text.append(i)
                    .append(',')
                    .append(i % 2 == 0 ? "Ulm" : "\"Bonn, Rhein\"")
                    .append(',');
            text.append(10 * i + 5)
                    .append(',')
                    .append(i < 50 ? "small" : "large")
                    .append('\n');
        }
        Path file = Files.writeString(folder.resolve("houses.csv"), text);
        return Columns.of(NumericColumn.of("size"), CategoryColumn.of("town"))
                .label(label)
                .fit(Dataset.of(Sources.csv(file.toString())));
    }

    private InferenceServer start(Path repository) {
        return InferenceServer.start(repository, ServingSettings.standard(), HttpSettings.local(0));
    }

    private static double output(JsonNode answer, int row) {
        return answer.path("predictions").path(row).path("output").path(0).asDouble();
    }

    @Test
    void numbersAreAnsweredInTheUnitsOfTheLabel() throws Exception {
        Columns columns = fitted(LabelColumn.number("price"));
        int inputs = columns.rowEncoder()
                .features(List.of(Map.of("size", 1)))
                .feature()
                .size();
        Path repository = write("houses", columns, inputs, 1, Losses.mse());
        try (InferenceServer server = start(repository)) {
            HttpTester http = new HttpTester(server.uri());
            JsonNode answer = http.post(
                            "/models/houses/predict",
                            "{\"rows\": [{\"size\": 7, \"town\": \"Ulm\"}, {\"size\": \"30\", \"town\": null, \"more\": 1}]}")
                    .json();
            assertThat(output(answer, 0)).isCloseTo(75, within(0.01));
            assertThat(output(answer, 1)).isCloseTo(305, within(0.01));
            assertThat(output(
                            http.post("/models/houses/predict", "{\"size\": 12}")
                                    .json(),
                            0))
                    .isCloseTo(125, within(0.01));
            JsonNode csv = http.send(http.request("/models/houses/predict")
                            .header("Content-Type", "text/csv")
                            .POST(BodyPublishers.ofString("town,size\n\"Bonn, Rhein\",3\nUlm,?\n")))
                    .json();
            assertThat(output(csv, 0)).isCloseTo(35, within(0.01));
            assertThat(output(csv, 1)).as("the mean for a missing size").isCloseTo(500, within(0.01));
            assertThat(http.post("/models/houses/predict", "[{\"size\": \"big\"}]")
                            .body())
                    .contains("row 0, column 'size': expected number, received 'big'");
            assertThat(http.post("/models/houses/predict", "[{\"sise\": 1}]").body())
                    .contains("row 0 has none of the columns size, town: received [sise]");
        }
    }

    @Test
    void classesAreAnsweredByTheirNames() throws Exception {
        Columns columns = fitted(LabelColumn.classes("kind"));
        int inputs = columns.rowEncoder()
                .features(List.of(Map.of("size", 1)))
                .feature()
                .size();
        Path repository = write("kinds", columns, inputs, 2, Losses.softmaxCrossEntropy());
        try (InferenceServer server = start(repository)) {
            HttpTester http = new HttpTester(server.uri());
            JsonNode answer = http.post("/models/kinds/predict", "[{\"size\": 99}, {\"size\": 0}]")
                    .json();
            String first = columns.classes().get(0);
            assertThat(answer.path("predictions").path(0).path("class").asText())
                    .isEqualTo(first);
            assertThat(answer.path("predictions").path(1).path("class").asText())
                    .isEqualTo(columns.classes().get(1));
        }
    }
}
