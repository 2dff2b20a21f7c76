package dev.tutti.app.input;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One thing to ask a model about.
 *
 * @param name what people call it, such as a file
 * @param label the right answer, where it is known; may be null
 * @param features one row of floats; null where the rows stay in a dataset
 */
public record PredictionInput(String name, String label, NdArray features) {
    /** All of them as one batch. */
    public static NdArray stacked(List<PredictionInput> questions) {
        Shape row = questions.get(0).features.shape();
        int size = Math.toIntExact(row.size());
        float[] all = new float[questions.size() * size];
        for (int i = 0; i < questions.size(); i++) {
            System.arraycopy(questions.get(i).features.floats(), 0, all, i * size, size);
        }
        return NdArray.wrap(DType.FLOAT32, row.prepend(questions.size()), all);
    }

    /** The rows of a dataset in their order, with labels of one number where they have any. */
    public static List<PredictionInput> of(Dataset rows, String name) {
        List<PredictionInput> questions = new ArrayList<>();
        try (BatchReader reader = rows.open(0)) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                Batch batch = next.get();
                NdArray labels = batch.labels().isEmpty() ? null : batch.label();
                for (int i = 0; i < batch.size(); i++) {
                    boolean plain = labels != null && labels.size() == batch.size();
                    String label = !plain
                            ? null
                            : labels.type().isFloating()
                                    ? Double.toString(labels.at(i))
                                    : Long.toString((long) labels.at(i));
                    questions.add(new PredictionInput(name + " " + questions.size(), label, null));
                }
            }
        }
        return questions;
    }
}
