package dev.tutti.source.combined;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import dev.tutti.data.source.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Several sources side by side: a row has the features and labels of all of them. They must have as many rows. */
public final class ZipSource extends CombinedSource {
    private ZipSource() {}

    private ZipSource(List<Source> sources) {
        super(sources);
    }

    public static ZipSource of(Source... sources) {
        return new ZipSource(List.of(sources));
    }

    @Override
    public CombinedSource over(List<Source> others) {
        return new ZipSource(others);
    }

    @Override
    public OptionalLong size() {
        return sources().get(0).size();
    }

    @Override
    public Rows open() {
        List<RandomRows> parts = openAll();
        for (int i = 1; i < parts.size(); i++) {
            if (parts.get(i).size() != parts.get(0).size()) {
                parts.forEach(RandomRows::close);
                throw new DataException("sources side by side must have as many rows: "
                        + sources().get(0) + " has " + parts.get(0).size() + ", "
                        + sources().get(i) + " has " + parts.get(i).size());
            }
        }
        return new SideBySide(parts);
    }

    private record SideBySide(List<RandomRows> parts) implements BatchRows {
        @Override
        public long size() {
            return parts.get(0).size();
        }

        @Override
        public Batch rows(long[] numbers) {
            List<NdArray> features = new ArrayList<>();
            List<NdArray> labels = new ArrayList<>();
            for (RandomRows part : parts) {
                Batch batch = new ChosenRows(List.of(part)) {
                    @Override
                    public long size() {
                        return part.size();
                    }

                    @Override
                    int partOf(long number) {
                        return 0;
                    }

                    @Override
                    long numberInPart(long number, int only) {
                        return number;
                    }
                }.rows(numbers);
                features.addAll(batch.features());
                labels.addAll(batch.labels());
            }
            return new Batch(features, labels, numbers.length);
        }

        @Override
        public Sample row(long number) {
            List<NdArray> features = new ArrayList<>();
            List<NdArray> labels = new ArrayList<>();
            for (RandomRows part : parts) {
                Sample sample = part.row(number);
                features.addAll(sample.features());
                labels.addAll(sample.labels());
            }
            return new Sample(features, labels);
        }

        @Override
        public void close() {
            parts.forEach(RandomRows::close);
        }
    }

    @Override
    public String toString() {
        return "zip(" + names() + ")";
    }
}
