package dev.tutti.data.stage;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Puts the arrays of several rows on top of each other, as the first axis of one. */
final class BatchStack {
    private BatchStack() {}

    static Batch of(List<Row> rows) {
        return new Batch(stack(rows, Sample::features, "features"), stack(rows, Sample::labels, "labels"), rows.size());
    }

    private static List<NdArray> stack(List<Row> rows, Function<Sample, List<NdArray>> side, String name) {
        Row first = rows.get(0);
        List<NdArray> model = side.apply(first.sample());
        for (Row row : rows) {
            int count = side.apply(row.sample()).size();
            if (count != model.size()) {
                throw new DataException(row.place() + " has " + count + " " + name + ", but " + first.place()
                        + " of the same batch has " + model.size());
            }
        }
        List<NdArray> stacked = new ArrayList<>(model.size());
        for (int i = 0; i < model.size(); i++) {
            stacked.add(stack(rows, side, name, i, model.get(i)));
        }
        return stacked;
    }

    private static NdArray stack(
            List<Row> rows, Function<Sample, List<NdArray>> side, String name, int index, NdArray model) {
        int length = model.size();
        Object out = NdArray.allocate(model.type(), Math.multiplyExact(rows.size(), length));
        for (int at = 0; at < rows.size(); at++) {
            NdArray array = side.apply(rows.get(at).sample()).get(index);
            if (array.type() != model.type() || !array.shape().equals(model.shape())) {
                throw new DataException(rows.get(at).place() + " has " + name + "[" + index + "] of " + array + ", but "
                        + rows.get(0).place() + " of the same batch has " + model
                        + ": rows of a batch must have one type and shape, so cast, cut or pad them in a map(...)");
            }
            System.arraycopy(array.data(), 0, out, at * length, length);
        }
        return NdArray.wrap(model.type(), model.shape().prepend(rows.size()), out);
    }
}
