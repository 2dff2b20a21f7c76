package dev.tutti.serve.model;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Sample;
import dev.tutti.data.transform.Transform;
import dev.tutti.nn.Input;
import dev.tutti.serve.ServeException;
import java.util.ArrayList;
import java.util.List;

/** Makes of raw rows what a model takes: applies the transforms it was trained with, and checks shapes and types. */
final class FeatureSteps {
    private final List<Transform> transforms;
    private final List<Input> wanted;
    private final ModelSignature signature;

    FeatureSteps(List<Transform> transforms, List<Input> wanted, ModelSignature signature) {
        this.transforms = transforms;
        this.wanted = wanted;
        this.signature = signature;
    }

    /**
     * The inputs of the model for a batch of raw rows.
     *
     * @throws ServeException if the rows do not fit
     */
    List<NdArray> apply(List<NdArray> raw) {
        if (raw.size() != wanted.size()) {
            throw ServeException.invalid("the model takes " + wanted.size() + " inputs, received " + raw.size());
        }
        int rows = rows(raw);
        if (transforms.isEmpty()) {
            List<NdArray> inputs = new ArrayList<>(raw.size());
            for (int i = 0; i < raw.size(); i++) {
                inputs.add(fitted(raw.get(i), i));
            }
            return inputs;
        }
        List<List<NdArray>> parts = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            List<NdArray> features = new ArrayList<>();
            for (NdArray array : raw) {
                features.add(array.row(row));
            }
            parts.add(transformed(new Sample(features, List.of()), row));
        }
        List<NdArray> inputs = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            int place = i;
            inputs.add(stacked(parts.stream().map(part -> part.get(place)).toList(), i));
        }
        return inputs;
    }

    private static int rows(List<NdArray> raw) {
        int rows = -1;
        for (NdArray array : raw) {
            if (array.shape().rank() == 0) {
                throw ServeException.invalid("inputs have a first axis for the rows: received a single number");
            }
            int mine = Math.toIntExact(array.shape().dim(0));
            if (rows >= 0 && mine != rows) {
                throw ServeException.invalid(
                        "all inputs must have the same number of rows: received " + rows + " and " + mine);
            }
            rows = mine;
        }
        if (rows < 1) {
            throw ServeException.invalid("a request has one row or more: received none");
        }
        return rows;
    }

    private List<NdArray> transformed(Sample sample, int row) {
        try {
            Sample made = sample;
            for (Transform transform : transforms) {
                made = transform.apply(made);
            }
            return made.features();
        } catch (TuttiException | IllegalArgumentException e) {
            throw new ServeException(
                    ServeException.Reason.INVALID,
                    "row " + row + " does not fit the features of the model: " + e.getMessage(),
                    e);
        }
    }

    private NdArray fitted(NdArray batch, int place) {
        Shape row = batch.shape().from(1);
        Input input = wanted.get(place);
        if (!input.shape().matches(row)) {
            throw mismatch(place, row);
        }
        return batch.to(input.type() == DType.FLOAT32 || input.type() == DType.FLOAT64 ? DType.FLOAT32 : input.type());
    }

    private NdArray stacked(List<NdArray> rows, int place) {
        Input input = wanted.get(place);
        Shape row = rows.get(0).shape();
        if (!input.shape().matches(row)) {
            throw mismatch(place, row);
        }
        int size = Math.toIntExact(row.size());
        NdArray all = NdArray.zeros(input.type(), row.prepend(rows.size()));
        for (int i = 0; i < rows.size(); i++) {
            if (!rows.get(i).shape().equals(row)) {
                throw mismatch(place, rows.get(i).shape());
            }
            System.arraycopy(rows.get(i).to(input.type()).data(), 0, all.data(), i * size, size);
        }
        return all;
    }

    private ServeException mismatch(int place, Shape received) {
        return ServeException.invalid(
                "the rows of " + signature.inputs().get(place).name() + " have shape " + received
                        + ", the model expects " + wanted.get(place).shape());
    }
}
