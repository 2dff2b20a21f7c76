package dev.tutti.jobs.predict;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.model.ServingSettings;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Trainer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A model whose stages are in two processes answers as the whole model does. */
@Timeout(180)
class CutModelProcessesTest {
    private static final int ROWS = 50;
    private static final int WIDTH = 6;

    private static NdArray features() {
        Random random = new Random(3);
        float[] values = new float[ROWS * WIDTH];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return NdArray.of(values, ROWS, WIDTH);
    }

    private static Dataset data() {
        long[] labels = new long[ROWS];
        for (int i = 0; i < ROWS; i++) {
            labels[i] = i % 3;
        }
        return Dataset.of(features(), NdArray.of(labels, ROWS)).batch(8);
    }

    private static Trainer trained() {
        Trainer trainer = Trainer.of(
                        Sequential.of(dense(16).tanh(), dense(8).relu(), dense(3)), sgd(0.1), softmaxCrossEntropy())
                .metrics(accuracy())
                .seed(5)
                .cores(1);
        trainer.fit(data(), epochs(1));
        return trainer;
    }

    @Test
    void stagesInTwoProcessesAnswerAsTheWholeModel(@TempDir Path folder) throws Exception {
        Path saved = folder.resolve("digits");
        NdArray expected;
        Evaluation evaluation;
        try (Trainer trainer = trained()) {
            trainer.save(saved);
            expected = trainer.predict(features());
            evaluation = trainer.evaluate(data());
        }
        try (CutModelProcesses model = CutModelProcesses.start(saved, parallel().pipeline(2))) {
            NdArray actual = model.predict(data());
            for (int i = 0; i < expected.size(); i++) {
                assertThat(actual.at(i)).isCloseTo(expected.at(i), within(1e-5));
            }
            Evaluation measured = model.evaluate(data(), softmaxCrossEntropy(), accuracy());
            assertThat(measured.samples()).isEqualTo(ROWS);
            assertThat(measured.loss()).isCloseTo(evaluation.loss(), within(1e-5));
            assertThat(measured.metrics()).isEqualTo(evaluation.metrics());
        }
        ServingSettings settings = ServingSettings.standard()
                .loader(path -> CutModelProcesses.start(path, parallel().pipeline(2)));
        try (InferenceServer server = InferenceServer.start(saved, settings, HttpSettings.local(0), Optional.empty())) {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(server.uri() + "/v1/models/digits:predict"))
                                    .POST(HttpRequest.BodyPublishers.ofString("{\"instances\": [[0, 0, 0, 0, 0, 0]]}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(answer.body()).contains("predictions");
        }
    }

    @Test
    void whatCannotBeCutIsSaid(@TempDir Path folder) {
        Path saved = folder.resolve("model");
        try (Trainer trainer = trained()) {
            trainer.save(saved);
        }
        assertThatThrownBy(() -> CutModelProcesses.start(saved, parallel().pipeline(1)))
                .hasMessageContaining("two members or more");
        assertThatThrownBy(() -> CutModelProcesses.start(
                        folder.resolve("nothing"), parallel().pipeline(2)))
                .hasMessageContaining("expected the folder of a saved model");
    }
}
