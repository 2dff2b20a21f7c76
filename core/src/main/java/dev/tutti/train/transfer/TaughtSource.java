package dev.tutti.train.transfer;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.data.Sample;
import dev.tutti.data.source.Source;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Rows with what an earlier model answers to them as a second label, for {@link DistilledLoss}. The model is asked once, and rows are kept
 * in memory.
 */
public final class TaughtSource implements Source {
    private static final int AT_ONCE = 256;

    private Dataset data;
    private String teacher;
    private transient List<Sample> rows;

    private TaughtSource() {}

    /**
     * @param data rows as both models take them
     * @param teacher the folder of the earlier model
     */
    public static TaughtSource of(Dataset data, Path teacher) {
        TaughtSource source = new TaughtSource();
        source.data = data;
        source.teacher = teacher.toString();
        return source;
    }

    @Override
    public OptionalLong size() {
        return data.size();
    }

    @Override
    public Rows open() {
        return new TaughtRows(load());
    }

    @Override
    public String fingerprint() {
        return data.source().fingerprint();
    }

    @Override
    public List<String> notices() {
        return data.source().notices();
    }

    private synchronized List<Sample> load() {
        if (rows == null) {
            List<Sample> all = new ArrayList<>();
            try (SavedModel saved = SavedModel.load(Path.of(teacher));
                    BatchReader reader = data.batch(AT_ONCE).open(0)) {
                for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                    add(batch.get(), answers(saved, batch.get()), all);
                }
            }
            rows = all;
        }
        return rows;
    }

    private static NdArray answers(SavedModel saved, Batch batch) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            saved.model().training(false);
            return saved.model()
                    .forward(batch.features().stream()
                            .map(array ->
                                    Tensor.of(array, saved.model().options().device()))
                            .toList())
                    .get(0)
                    .toArray();
        }
    }

    private static void add(Batch batch, NdArray answers, List<Sample> all) {
        for (int row = 0; row < batch.size(); row++) {
            int at = row;
            List<NdArray> labels = new ArrayList<>(
                    batch.labels().stream().map(label -> label.row(at)).toList());
            labels.add(answers.row(at));
            all.add(new Sample(
                    batch.features().stream().map(array -> array.row(at)).toList(), labels));
        }
    }

    private record TaughtRows(List<Sample> rows) implements RandomRows {
        @Override
        public long size() {
            return rows.size();
        }

        @Override
        public Sample row(long number) {
            return rows.get(Math.toIntExact(number));
        }

        @Override
        public boolean isConcurrent() {
            return true;
        }
    }

    @Override
    public String toString() {
        return "taught(" + data + ")";
    }
}
