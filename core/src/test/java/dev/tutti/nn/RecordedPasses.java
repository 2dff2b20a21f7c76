package dev.tutti.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.GradientListener;
import java.util.ArrayList;
import java.util.List;

/** Passes over random batches, for tests that compare the gradients of models which should come to the same. */
final class RecordedPasses {
    private static final int ROWS = 6;

    private RecordedPasses() {}

    static Model model(Layer definition, Input input, Model.Options options) {
        Model model = Model.of(definition, options.seed(4), List.of(input));
        model.training(true);
        return model;
    }

    /** The gradients of so many batches, added up. */
    static float[] gradients(Model model, int batches) {
        return gradients(model, batches, ROWS);
    }

    static float[] gradients(Model model, int batches, int rows) {
        for (int i = 0; i < batches; i++) {
            try (Scope scope = Scope.open()) {
                recorded(model, i, rows).backward(i > 0, GradientListener.NONE);
            }
        }
        try (Scope scope = Scope.open()) {
            return model.vector().gradients().toArray().floats();
        }
    }

    /** A pass and the loss that was computed of its output. */
    record Recorded(RecordedPass pass, Tensor loss) {
        void backward(boolean add, GradientListener listener) {
            pass.backward(loss, add, listener);
        }
    }

    static Recorded recorded(Model model, int batch) {
        return recorded(model, batch, ROWS);
    }

    static Recorded recorded(Model model, int batch, int rows) {
        model.restartRandomness(5, batch);
        RecordedPass pass = model.record(List.of(batch(model, batch, rows)));
        Tensor output = pass.outputs().get(0);
        return new Recorded(pass, output.mul(output).mean());
    }

    static Tensor batch(Model model, int batch, int rows) {
        Tensor x = Tensor.zeros(model.inputs().get(0).shape().prepend(rows), DType.FLOAT32);
        try (Randomness random = new Randomness(batch)) {
            random.normal_(x, 0, 1);
        }
        return x;
    }

    static void assertEqualAsWritten(Layer definition, Input input) {
        try (Model fast = model(definition, input, Model.Options.DEFAULT);
                Model plain = model(definition, input, Model.Options.DEFAULT.asWritten())) {
            assertClose(gradients(fast, 1), gradients(plain, 1));
            assertClose(gradients(fast, 3), gradients(plain, 3));
        }
    }

    static void assertEqualAsWritten(Layer definition, Input input, List<String> frozen) {
        for (String layer : frozen) {
            try (Model fast = model(definition, input, Model.Options.DEFAULT);
                    Model plain = model(definition, input, Model.Options.DEFAULT.asWritten())) {
                fast.freeze(layer);
                plain.freeze(layer);
                assertClose(gradients(fast, 2), gradients(plain, 2));
            }
        }
    }

    /** Spoils whatever a pass has left at once; says whether anything was before the end. */
    static boolean leavesEarly(Layer definition, Input input) {
        try (Model plain = model(definition, input, Model.Options.DEFAULT);
                Model changing = model(definition, input, Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            FlatVector vector = changing.vector();
            List<Range> left = new ArrayList<>();
            recorded(changing, 0).backward(false, GradientListener.whenReleased(range -> {
                if (!range.equals(vector.all())) {
                    vector.values(range).fill_(Double.NaN);
                }
                left.add(range);
            }));
            assertThat(left).doesNotHaveDuplicates().endsWith(vector.all());
            assertThat(vector.gradients().toArray().floats()).isEqualTo(gradients(plain, 1));
            return left.size() > 1;
        }
    }

    static void assertClose(float[] actual, float[] expected) {
        assertThat(actual).hasSameSizeAs(expected);
        float scale = 0;
        for (float value : expected) {
            scale = Math.max(scale, Math.abs(value));
        }
        assertThat(scale).isPositive();
        for (int i = 0; i < expected.length; i++) {
            assertThat(actual[i]).as("element %d", i).isCloseTo(expected[i], within(2e-5f * scale));
        }
    }
}
