package dev.tutti.metric;

import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.metric.Metrics.auc;
import static dev.tutti.metric.Metrics.confusionMatrix;
import static dev.tutti.metric.Metrics.f1;
import static dev.tutti.metric.Metrics.mae;
import static dev.tutti.metric.Metrics.precision;
import static dev.tutti.metric.Metrics.r2;
import static dev.tutti.metric.Metrics.recall;
import static dev.tutti.metric.Metrics.rmse;
import static dev.tutti.metric.Metrics.topK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Values by scikit-learn, made by src/test/golden/metrics.py. */
class MetricGoldenTest {
    private static JsonNode golden;

    @BeforeAll
    static void read() throws IOException {
        try (InputStream in = MetricGoldenTest.class.getResourceAsStream("metrics.json")) {
            golden = Json.json().readTree(in);
        }
    }

    @Test
    void severalClasses() {
        Metric[] metrics = {
            accuracy(),
            topK(2),
            precision().macro(),
            precision().micro(),
            recall().macro(),
            recall().micro(),
            f1().macro(),
            f1().micro()
        };
        JsonNode part = golden.get("classes");
        check(part, numbers(part.get("predictions")).to(DType.FLOAT32), metrics);
        check(part, numbers(part.get("predictions")), metrics);
    }

    @Test
    void oneHotTargetsAreTheSameAsIds() {
        JsonNode part = golden.get("classes");
        NdArray ids = numbers(part.get("targets"));
        float[] oneHot = new float[ids.size() * 5];
        IntStream.range(0, ids.size()).forEach(row -> oneHot[row * 5 + (int) ids.at(row)] = 1);
        MetricState state = accuracy().newState();
        state.update(numbers(part.get("predictions")), NdArray.of(oneHot, ids.size(), 5));
        assertThat(state.value()).isEqualTo(part.get("expected").get("accuracy").doubleValue());
    }

    @Test
    void matrixOfClasses() {
        JsonNode part = golden.get("classes");
        ConfusionMatrixState state = confusionMatrix().newState();
        state.update(
                numbers(part.get("predictions")), numbers(part.get("targets")).to(DType.INT32));
        assertThat(state.matrix()).isEqualTo(numbers(part.get("matrix")).to(DType.INT64));
        assertThat(state.value()).isEqualTo(part.get("expected").get("accuracy").doubleValue());
    }

    @Test
    void twoClasses() {
        JsonNode part = golden.get("binary");
        NdArray logits = numbers(part.get("predictions")).to(DType.FLOAT32);
        Metric[] metrics = {accuracy(), auc(), precision(), recall(), f1()};
        check(part, logits, metrics);
        check(part, logits.reshape(logits.size(), 1), metrics);
        float[] probabilities = new float[logits.size()];
        float[] pairs = new float[2 * logits.size()];
        for (int i = 0; i < probabilities.length; i++) {
            probabilities[i] = (float) (1 / (1 + Math.exp(-logits.at(i))));
            pairs[2 * i + 1] = logits.floats()[i];
        }
        check(part, NdArray.of(pairs, logits.size(), 2), metrics);
        check(
                part,
                NdArray.of(probabilities, logits.size()),
                accuracy().threshold(0.5),
                auc(),
                precision().threshold(0.5),
                recall().threshold(0.5),
                f1().threshold(0.5).binary());
    }

    @Test
    void regression() {
        JsonNode part = golden.get("regression");
        check(part, numbers(part.get("predictions")), mae(), rmse(), r2());
    }

    private static void check(JsonNode part, NdArray predictions, Metric... metrics) {
        NdArray targets = numbers(part.get("targets"));
        for (Metric metric : metrics) {
            MetricState state = metric.newState();
            state.update(predictions, targets);
            double expected = part.get("expected").get(metric.name()).doubleValue();
            assertThat(state.value())
                    .as(metric.name())
                    .isCloseTo(expected, within(1e-12 * Math.max(1, Math.abs(expected))));
        }
    }

    /** A list, or list of lists, as float64. */
    private static NdArray numbers(JsonNode lists) {
        List<Double> values = new ArrayList<>();
        boolean flat = lists.get(0).isNumber();
        for (JsonNode item : lists) {
            if (flat) {
                values.add(item.doubleValue());
            } else {
                item.forEach(number -> values.add(number.doubleValue()));
            }
        }
        double[] array = values.stream().mapToDouble(Double::doubleValue).toArray();
        return flat
                ? NdArray.of(array, array.length)
                : NdArray.of(array, lists.size(), lists.get(0).size());
    }
}
