package dev.tutti.source.combined;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import dev.tutti.data.source.Source;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Rows that each come from one of several sources: a batch asks every source once and puts the rows in their places. */
abstract class ChosenRows implements Source.BatchRows {
    private final List<Source.RandomRows> parts;

    ChosenRows(List<Source.RandomRows> parts) {
        this.parts = parts;
    }

    /** Which part a row comes from. */
    abstract int partOf(long number);

    /** The row's number in that part. */
    abstract long numberInPart(long number, int part);

    @Override
    public final Batch rows(long[] numbers) {
        int[] part = new int[numbers.length];
        int[] counts = new int[parts.size()];
        for (int i = 0; i < numbers.length; i++) {
            part[i] = partOf(numbers[i]);
            counts[part[i]]++;
        }
        Batch[] batches = new Batch[parts.size()];
        for (int p = 0; p < batches.length; p++) {
            if (counts[p] > 0) {
                long[] wanted = new long[counts[p]];
                int at = 0;
                for (int i = 0; i < numbers.length; i++) {
                    if (part[i] == p) {
                        wanted[at++] = numberInPart(numbers[i], p);
                    }
                }
                batches[p] = batch(parts.get(p), wanted);
                if (counts[p] == numbers.length) {
                    return batches[p];
                }
            }
        }
        return new Batch(
                merged(batches, part, Batch::features, "features"),
                merged(batches, part, Batch::labels, "labels"),
                numbers.length);
    }

    private static Batch batch(Source.RandomRows rows, long[] numbers) {
        if (rows instanceof Source.BatchRows whole) {
            return whole.rows(numbers);
        }
        List<Sample> samples = Arrays.stream(numbers).mapToObj(rows::row).toList();
        return new Batch(stacked(samples, Sample::features), stacked(samples, Sample::labels), numbers.length);
    }

    private static List<NdArray> stacked(List<Sample> samples, Function<Sample, List<NdArray>> side) {
        List<NdArray> arrays = new ArrayList<>();
        for (int a = 0; a < side.apply(samples.get(0)).size(); a++) {
            NdArray first = side.apply(samples.get(0)).get(a);
            NdArray out = NdArray.zeros(first.type(), first.shape().prepend(samples.size()));
            for (int row = 0; row < samples.size(); row++) {
                System.arraycopy(
                        side.apply(samples.get(row)).get(a).data(), 0, out.data(), row * first.size(), first.size());
            }
            arrays.add(out);
        }
        return arrays;
    }

    private static List<NdArray> merged(Batch[] batches, int[] part, Function<Batch, List<NdArray>> side, String name) {
        Batch first = Arrays.stream(batches)
                .filter(batch -> batch != null)
                .findFirst()
                .orElseThrow();
        List<NdArray> merged = new ArrayList<>();
        for (int a = 0; a < side.apply(first).size(); a++) {
            NdArray model = side.apply(first).get(a);
            int row = model.size() / first.size();
            NdArray out = NdArray.zeros(model.type(), model.shape().with(0, part.length));
            int[] next = new int[batches.length];
            for (int i = 0; i < part.length; i++) {
                List<NdArray> arrays = side.apply(batches[part[i]]);
                NdArray in = a < arrays.size() ? arrays.get(a) : null;
                if (in == null
                        || in.type() != model.type()
                        || !in.shape().from(1).equals(model.shape().from(1))) {
                    throw new DataException("the sources do not fit together: " + name + "[" + a + "] of one is "
                            + model + ", of another " + in);
                }
                System.arraycopy(in.data(), next[part[i]]++ * row, out.data(), i * row, row);
            }
            merged.add(out);
        }
        return merged;
    }

    @Override
    public final void close() {
        parts.forEach(Source.RandomRows::close);
    }
}
