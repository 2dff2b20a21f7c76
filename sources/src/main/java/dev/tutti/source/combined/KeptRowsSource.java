package dev.tutti.source.combined;

import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.source.Source;
import java.util.List;
import java.util.OptionalLong;

/** The rows that the stages of a dataset keep in its first epoch, as a source: the training part of a split, for instance. */
public final class KeptRowsSource extends CombinedSource {
    private Dataset of;

    private transient long[] kept;

    private KeptRowsSource() {}

    private KeptRowsSource(Dataset of) {
        this.of = of;
    }

    public static KeptRowsSource of(Dataset dataset) {
        return new KeptRowsSource(dataset);
    }

    @Override
    public List<Source> sources() {
        if (of == null) {
            throw new DataException("the source needs 'of', a dataset whose rows it gives");
        }
        return List.of(of.source());
    }

    @Override
    public CombinedSource over(List<Source> others) {
        return new KeptRowsSource(of.from(others.get(0)));
    }

    private synchronized long[] kept() {
        if (kept == null) {
            long rows = sources()
                    .get(0)
                    .size()
                    .orElseThrow(() -> new DataException(of + ": how many rows it has is not known"));
            kept = RowNumbers.kept(of, rows);
        }
        return kept;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(kept().length);
    }

    @Override
    public Rows open() {
        long[] numbers = kept();
        return new ChosenRows(openAll()) {
            @Override
            public long size() {
                return numbers.length;
            }

            @Override
            int partOf(long number) {
                return 0;
            }

            @Override
            long numberInPart(long number, int part) {
                return numbers[Math.toIntExact(number)];
            }
        };
    }

    @Override
    public String toString() {
        return "rows(" + of + ")";
    }
}
