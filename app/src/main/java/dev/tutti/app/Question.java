package dev.tutti.app;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.tensor.DType;
import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * One thing to ask a model about.
 *
 * @param name what people call it, such as a file
 * @param label the right answer, where it is known; may be null
 * @param features one row of floats; null where the rows stay in a dataset
 */
record Question(String name, String label, NdArray features) {
    /** All of them as one batch. */
    static NdArray stacked(List<Question> questions) {
        Shape row = questions.get(0).features.shape();
        int size = Math.toIntExact(row.size());
        float[] all = new float[questions.size() * size];
        for (int i = 0; i < questions.size(); i++) {
            System.arraycopy(questions.get(i).features.floats(), 0, all, i * size, size);
        }
        return NdArray.wrap(DType.FLOAT32, row.prepend(questions.size()), all);
    }

    /** The rows of a dataset in their order, with labels of one number where they have any. */
    static List<Question> of(Dataset rows, String name) {
        List<Question> questions = new ArrayList<>();
        try (BatchReader reader = rows.open(0)) {
            for (Batch batch = reader.next(); batch != null; batch = reader.next()) {
                NdArray labels = batch.labels().isEmpty() ? null : batch.label();
                for (int i = 0; i < batch.size(); i++) {
                    boolean plain = labels != null && labels.size() == batch.size();
                    String label = !plain
                            ? null
                            : labels.type().isFloating()
                                    ? Double.toString(labels.at(i))
                                    : Long.toString((long) labels.at(i));
                    questions.add(new Question(name + " " + questions.size(), label, null));
                }
            }
        }
        return questions;
    }
}
