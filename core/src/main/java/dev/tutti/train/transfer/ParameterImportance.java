package dev.tutti.train.transfer;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.io.TensorFile;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.RecordedPass;
import dev.tutti.optim.Consolidation;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How important each parameter is for what a model has learned: the mean square of its gradient over single rows. */
public final class ParameterImportance {
    private ParameterImportance() {}

    /**
     * Measures a model on rows of what it has learned, and writes its values and their importance for {@link Consolidation}.
     *
     * @param data rows as the model takes them
     * @param rows how many are looked at, at most; each is a pass of its own
     * @throws TuttiException if there is no row
     */
    public static void write(Model model, Loss loss, Dataset data, int rows, Path file) {
        try (Scope outer = Scope.open()) {
            Tensor sum = Tensor.zeros(
                    model.vector().values().shape(),
                    model.options().type(),
                    model.options().device());
            int count = 0;
            model.training(false); // as it answers: without dropout
            try (BatchReader reader = data.batch(1).open(0)) {
                for (Optional<Batch> row = reader.next(); count < rows && row.isPresent(); row = reader.next()) {
                    add(model, loss, row.get(), sum);
                    count++;
                }
            }
            if (count == 0) {
                throw new TuttiException("consolidation: expected rows of what was learned before, received none");
            }
            Map<String, Tensor> out = new LinkedHashMap<>();
            try (NoGradients off = NoGradients.begin()) {
                sum.mul_(1.0 / count);
                for (Parameter parameter : model.parameters()) {
                    out.put(
                            Consolidation.ANCHOR + parameter.name(),
                            numbers(model.vector().values(), parameter));
                    out.put(Consolidation.IMPORTANCE + parameter.name(), numbers(sum, parameter));
                }
                TensorFile.write(file, out, Map.of("tutti.rows", Integer.toString(count)));
            }
            model.vector().zeroGradients();
        }
    }

    private static Tensor numbers(Tensor vector, Parameter parameter) {
        return vector.narrow(0, parameter.range().from(), parameter.range().length())
                .to(DType.FLOAT32)
                .copy();
    }

    private static void add(Model model, Loss loss, Batch row, Tensor sum) {
        try (Scope scope = Scope.open();
                RecordedPass pass = model.record(tensors(row.features(), model))) {
            pass.backward(loss.compute(pass.outputs(), tensors(row.labels(), model)), false);
            try (NoGradients off = NoGradients.begin()) {
                Tensor gradients = model.vector().written();
                sum.addcmul_(gradients, gradients, 1);
            }
        }
    }

    private static List<Tensor> tensors(List<NdArray> arrays, Model model) {
        return arrays.stream()
                .map(array -> Tensor.of(array, model.options().device()))
                .toList();
    }
}
