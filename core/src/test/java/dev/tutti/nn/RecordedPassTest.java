package dev.tutti.nn;

import static dev.tutti.nn.Layers.add;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.transformerEncoder;
import static dev.tutti.nn.RecordedPasses.assertClose;
import static dev.tutti.nn.RecordedPasses.batch;
import static dev.tutti.nn.RecordedPasses.gradients;
import static dev.tutti.nn.RecordedPasses.model;
import static dev.tutti.nn.RecordedPasses.recorded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.EngineProbe;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.GradientListener;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A recorded pass owns its way back: several may be open at once, and it gives the gradients of inputs. */
class RecordedPassTest {
    private static final int WIDTH = 270; // its square is a large gradient

    /** A model and what it is fed. */
    record Case(Layer definition, Input input) {}

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        Sequential.of(
                                dense(WIDTH).relu(), dropout(0.3), dense(WIDTH).tanh(), dense(3)),
                        Input.of(WIDTH)),
                new Case(
                        Sequential.of(
                                conv2d(20, 3).same().relu(),
                                maxPool2d(2),
                                conv2d(7, 3).relu(),
                                flatten(),
                                dense(4)),
                        Input.of(3, 13, 11)),
                new Case(
                        Sequential.of(
                                transformerEncoder(4).inner(512),
                                flatten(),
                                dense(WIDTH).relu(),
                                dense(2)),
                        Input.of(6, 128)));
    }

    /** Rows differ from pass to pass, so that more primitives are needed than a cache keeps. */
    @ParameterizedTest
    @MethodSource("cases")
    void severalMayBeOpenAtOnce(Case c) {
        int count = 7;
        try (Model model = model(c.definition, c.input, Model.Options.DEFAULT);
                Model twin = model(c.definition, c.input, Model.Options.DEFAULT)) {
            for (int i = 0; i < count; i++) {
                try (Scope scope = Scope.open()) {
                    recorded(twin, i, 2 + i).backward(i > 0, GradientListener.NONE);
                }
            }
            try (Scope scope = Scope.open()) {
                List<RecordedPasses.Recorded> open = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    open.add(recorded(model, i, 2 + i));
                }
                for (int i = 0; i < count; i++) {
                    open.get(i).backward(i > 0, GradientListener.NONE);
                }
                assertThat(model.vector().gradients().toArray())
                        .isEqualTo(twin.vector().gradients().toArray());
            }
            try (Scope scope = Scope.open()) {
                List<RecordedPasses.Recorded> open = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    open.add(recorded(model, i, 2 + i));
                }
                for (int i = count - 1; i >= 0; i--) {
                    open.get(i).backward(i < count - 1, GradientListener.NONE);
                }
                assertClose(
                        model.vector().gradients().toArray().floats(),
                        twin.vector().gradients().toArray().floats());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesTheGradientsOfInputs(Case c) {
        try (Model fast = model(c.definition, c.input, Model.Options.DEFAULT);
                Model plain = model(c.definition, c.input, Model.Options.DEFAULT.asWritten());
                Scope scope = Scope.open()) {
            Tensor x = batch(fast, 3, 5);
            fast.restartRandomness(5);
            RecordedPass pass = fast.recordWithInputGradients(List.of(x));
            assertThatThrownBy(() -> pass.inputGradient(0)).hasMessageContaining("after backward");
            pass.backward(pass.outputs().get(0).square().sum(), false);
            Tensor leaf = x.detach().requiresGradient(true);
            plain.restartRandomness(5);
            plain.forward(leaf).square().sum().backward();
            assertClose(
                    pass.inputGradient(0).orElseThrow().toArray().floats(),
                    leaf.gradient().orElseThrow().toArray().floats());
            assertThat(x.gradient()).as("the caller's tensor is left alone").isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void runsBackwardFromGradientsOfTheOutputs(Case c) {
        try (Model model = model(c.definition, c.input, Model.Options.DEFAULT);
                Model twin = model(c.definition, c.input, Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            Tensor x = batch(model, 3, 5);
            twin.restartRandomness(5);
            RecordedPass whole = twin.record(List.of(x));
            Tensor output = whole.outputs().get(0).detach().requiresGradient(true);
            output.square().mean().backward();
            whole.backward(whole.outputs().get(0).square().mean(), false);
            model.restartRandomness(5);
            RecordedPass pass = model.record(List.of(x));
            pass.backward(List.of(output.gradient().orElseThrow()), false);
            assertThat(model.vector().gradients().toArray())
                    .isEqualTo(twin.vector().gradients().toArray());
        }
    }

    @Test
    void severalOutputsRunBackwardTogether() {
        Layer graph = Graph.inputs("ids", "x", "unused")
                .add("words", Sequential.of(embedding(9, 4), flatten()), "ids")
                .add("trunk", dense(8).tanh(), "x")
                .add("sum", add(), "words", "trunk")
                .add("a", dense(2), "sum")
                .add("b", dense(3), "sum")
                .outputs("a", "b");
        List<Input> inputs = List.of(Input.ids(2), Input.of(5), Input.of(3));
        try (Model model = Model.of(graph, Model.Options.DEFAULT, inputs);
                Model twin = Model.of(graph, Model.Options.DEFAULT, inputs);
                Scope scope = Scope.open()) {
            List<Tensor> batch = List.of(
                    Tensor.zeros(Shape.of(4, 2), DType.INT64),
                    Tensor.full(Shape.of(4, 5), 0.3, DType.FLOAT32),
                    Tensor.full(Shape.of(4, 3), 0.3, DType.FLOAT32));
            RecordedPass pass = model.recordWithInputGradients(batch);
            pass.backward(
                    List.of(
                            Tensor.full(Shape.of(4, 2), 2, DType.FLOAT32),
                            Tensor.full(Shape.of(4, 3), -1, DType.FLOAT32)),
                    false);
            List<Tensor> outputs = twin.forward(batch);
            outputs.get(0).sum().mul(2).sub(outputs.get(1).sum()).backward();
            assertClose(
                    model.vector().gradients().toArray().floats(),
                    twin.vector().gradients().toArray().floats());
            assertThat(pass.inputGradient(0)).as("whole numbers").isEmpty();
            assertThat(pass.inputGradient(1).orElseThrow().norm().item()).isPositive();
            assertThat(pass.inputGradient(2).orElseThrow().toArray().floats())
                    .as("no output depends on it")
                    .containsOnly(0)
                    .hasSize(12);
        }
    }

    /** The first stage of a pipeline hands an input on that a later one needs as well. */
    @Test
    void outputsThatNothingLearnedLeadsToAreHandedOn() {
        Layer graph = Graph.inputs("x").add("trunk", dense(3), "x").outputs("trunk", "x");
        try (Model model = Model.of(graph, Input.of(3));
                Scope scope = Scope.open()) {
            Tensor x = Tensor.full(Shape.of(2, 3), 0.5, DType.FLOAT32);
            Tensor ones = Tensor.full(Shape.of(2, 3), 1, DType.FLOAT32);
            model.record(List.of(x)).backward(List.of(ones, ones), false);
            NdArray gradients = model.vector().gradients().toArray();
            assertThat(gradients.floats()).containsExactly(1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2);
            RecordedPass pass = model.recordWithInputGradients(List.of(x));
            pass.backward(List.of(ones.sub(ones), ones), false);
            assertThat(pass.inputGradient(0).orElseThrow().toArray().floats()).containsOnly(1);
            model.freeze("trunk");
            model.record(List.of(x)).backward(List.of(ones, ones), false);
            assertThat(model.vector().gradients().toArray().floats()).containsOnly(0);
        }
    }

    @Test
    void refusesWhatWouldGiveWrongGradients() {
        try (Model model = model(Sequential.of(dense(WIDTH).relu(), dense(3)), Input.of(WIDTH), Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            RecordedPasses.Recorded done = recorded(model, 0);
            done.backward(false, GradientListener.NONE);
            assertThatThrownBy(() -> done.backward(false, GradientListener.NONE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("runs backward once");
            RecordedPasses.Recorded closed = recorded(model, 0);
            closed.pass().close();
            assertThatThrownBy(() -> closed.backward(false, GradientListener.NONE))
                    .hasMessageContaining("record the batch again");
            assertThatThrownBy(() -> done.pass().inputGradient(0))
                    .hasMessageContaining("record it with recordWithInputGradients");
            RecordedPass pass = recorded(model, 0).pass();
            assertThatThrownBy(() -> pass.backward(List.of(), false))
                    .hasMessage("expected a gradient for each of 1 outputs, received 0 gradients");
            Tensor wrong = Tensor.zeros(Shape.of(6, 4), DType.FLOAT32);
            assertThatThrownBy(() -> pass.backward(List.of(wrong), false))
                    .hasMessage("expected a gradient of shape [6, 3] for output 1, received [6, 4]");
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void openPassesLeaveNothingBehind(Case c) {
        try (Model model = model(c.definition, c.input, Model.Options.DEFAULT)) {
            openAndClose(model);
            long before = EngineProbe.liveObjects();
            for (int i = 0; i < 5; i++) {
                openAndClose(model);
            }
            assertThat(EngineProbe.liveObjects()).isLessThanOrEqualTo(before);
            assertThat(gradients(model, 1)).isNotEmpty();
        }
    }

    private static void openAndClose(Model model) {
        try (Scope scope = Scope.open()) {
            List<RecordedPass> passes = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                passes.add(recorded(model, i, 2 + i).pass());
            }
            passes.forEach(RecordedPass::close);
        }
    }
}
