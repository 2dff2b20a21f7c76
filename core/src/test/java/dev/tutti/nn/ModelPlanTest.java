package dev.tutti.nn;

import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.concatenate;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.positionalEncoding;
import static dev.tutti.nn.Layers.reshape;
import static dev.tutti.nn.Layers.transformerEncoder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Parts of a model have the names, ranges, first values and random numbers of the whole. */
class ModelPlanTest {
    private static final Model.Options OPTIONS = Model.Options.DEFAULT.seed(8);

    /** A definition and what it is fed. */
    record Case(Sequential definition, Input input) {
        ModelPlan plan() {
            return ModelPlan.of(definition, OPTIONS, List.of(input));
        }

        /** Whether the layers before and behind the cut are computed in one go in the whole: then floats are added in another order. */
        boolean splitsConvolutions(int cut) {
            Layer before = definition.layers().get(cut - 1);
            return before instanceof Conv2d && definition.layers().get(cut) instanceof MaxPool2d;
        }

        Tensor batch() {
            Shape shape = input.shape().prepend(4);
            Tensor x = Tensor.zeros(shape, DType.FLOAT32);
            try (Randomness random = new Randomness(3)) {
                random.uniform_(x, 0, 5);
            }
            return input.type().isFloating() ? x : x.to(input.type());
        }
    }

    static Stream<Case> chains() {
        return Stream.of(
                new Case(
                        Sequential.of(
                                dense(20).relu(),
                                dropout(0.4),
                                dense(7).named("middle"),
                                dropout(0.4),
                                dense(20),
                                dense(3)),
                        Input.of(5)),
                new Case(
                        Sequential.of(
                                conv2d(6, 3).relu(),
                                maxPool2d(2),
                                batchNorm(),
                                conv2d(4, 2),
                                dropout(0.2),
                                flatten(),
                                dense(3)),
                        Input.of(2, 9, 9)),
                new Case(
                        Sequential.of(
                                reshape(6),
                                embedding(9, 8).paddingId(0),
                                positionalEncoding(),
                                transformerEncoder(2).inner(16).dropout(0.3),
                                transformerEncoder(2).inner(16).dropout(0.3),
                                flatten(),
                                dense(2)),
                        Input.ids(2, 3)));
    }

    @ParameterizedTest
    @MethodSource("chains")
    void partsOfAChainAreTheWhole(Case c) {
        ModelPlan plan = c.plan();
        int count = plan.layers().size();
        try (Model whole = plan.build();
                Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<String, NdArray> expected = whole.arrays();
            whole.training(true);
            whole.restartRandomness(1, 2, 3);
            NdArray output = whole.forward(c.batch()).toArray();
            for (int cut = 1; cut < count; cut++) {
                Map<String, NdArray> held = new HashMap<>();
                Tensor x = c.batch();
                for (Range layers : List.of(Range.between(0, cut), Range.between(cut, count))) {
                    ModelPlan part = plan.part(layers);
                    try (Model model = part.build()) {
                        held.putAll(model.arrays());
                        model.training(true);
                        model.restartRandomness(1, 2, 3);
                        x = model.forward(x);
                        assertThat(part.outputs().get(0).prepend(4)).isEqualTo(x.shape());
                        assertRangesWithinTheWhole(model, whole);
                    }
                }
                assertThat(held).as("cut before layer %d", cut).isEqualTo(expected);
                if (c.splitsConvolutions(cut)) {
                    assertThat(x.toArray().floats())
                            .as("cut before layer %d", cut)
                            .containsExactly(output.floats(), within(1e-5f));
                } else {
                    assertThat(x.toArray()).as("cut before layer %d", cut).isEqualTo(output);
                }
            }
        }
    }

    /** Copies a part's values to where the plan says that they lie in the vector of the whole. */
    private static void assertRangesWithinTheWhole(Model part, Model whole) {
        List<Slice> held = part.plan().held();
        for (int i = 0; i < held.size(); i++) {
            List<Tensor> pieces = new ArrayList<>();
            part.plan()
                    .rangesOf(held.get(i))
                    .forEach(range -> pieces.add(whole.vector().values(range)));
            Range own = part.parameters().get(i).range();
            assertThat(part.vector().values(own).to(DType.FLOAT64).toArray().doubles())
                    .as("%s", held.get(i))
                    .isEqualTo(concatenated(pieces));
        }
    }

    private static double[] concatenated(List<Tensor> pieces) {
        return pieces.stream()
                .flatMapToDouble(
                        piece -> Arrays.stream(piece.to(DType.FLOAT64).toArray().doubles()))
                .toArray();
    }

    private static Graph graph() {
        return Graph.inputs("ids", "x")
                .add("flat", flatten(), "ids")
                .add("words", Sequential.of(embedding(9, 4), flatten(), dropout(0.3)), "flat")
                .add("seen", Sequential.of(dense(6).relu(), dropout(0.3)), "x")
                .add("both", concatenate(), "words", "seen")
                .add("trunk", dense(8).tanh(), "both")
                .add("a", dense(2), "trunk")
                .add("b", Sequential.of(dropout(0.5), dense(3)), "trunk")
                .outputs("a", "b");
    }

    private static ModelPlan graphPlan() {
        return ModelPlan.of(graph(), OPTIONS, List.of(Input.ids(2, 2), Input.of(5)));
    }

    @Test
    void aCutOfAGraphIsTheWhole() {
        ModelPlan plan = graphPlan();
        try (Model whole = plan.build();
                Model front = plan.part(List.of("flat", "x"), List.of("words", "trunk"))
                        .build();
                Model flat = plan.part(List.of("ids"), List.of("flat")).build();
                Model back = plan.part(List.of("trunk"), List.of("b", "a")).build();
                Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            assertThat(flat.outputs()).containsExactly(Shape.of(4));
            assertThat(front.inputs()).containsExactly(Input.ids(4), Input.of(5));
            Tensor ids = Tensor.of(new long[] {1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2);
            Tensor x = Tensor.full(Shape.of(2, 5), 0.4, DType.FLOAT32);
            for (Model model : List.of(whole, front, back)) {
                model.training(true);
                model.restartRandomness(4);
            }
            List<Tensor> expected = whole.forward(List.of(ids, x));
            Tensor between = flat.forward(ids);
            assertThat(between.type()).isEqualTo(DType.INT64);
            Tensor trunk = front.forward(List.of(between, x)).get(1);
            List<Tensor> outputs = back.forward(List.of(trunk));
            assertThat(outputs.get(0).toArray()).isEqualTo(expected.get(1).toArray());
            assertThat(outputs.get(1).toArray()).isEqualTo(expected.get(0).toArray());
            Map<String, NdArray> held = new HashMap<>(front.arrays());
            held.putAll(back.arrays());
            assertThat(held).isEqualTo(whole.arrays());
            assertRangesWithinTheWhole(front, whole);
            assertRangesWithinTheWhole(back, whole);
        }
    }

    @Test
    void onlyTheLastPartAppliesTheActivationOfTheWhole() {
        Sequential chain = Sequential.of(dense(4), dense(3)).tanh();
        ModelPlan plan = ModelPlan.of(chain, OPTIONS, List.of(Input.of(5)));
        assertThat(plan.part(Range.between(0, 1)).definition().activation()).isEqualTo(Activation.NONE);
        assertThat(plan.part(Range.between(1, 2)).definition().activation()).isEqualTo(Activation.TANH);
        ModelPlan graph = ModelPlan.of(graph().tanh(), OPTIONS, graphPlan().inputs());
        assertThat(graph.part(List.of("trunk"), List.of("a", "b")).definition().activation())
                .isEqualTo(Activation.TANH);
        assertThat(graph.part(List.of("both"), List.of("trunk")).definition().activation())
                .isEqualTo(Activation.NONE);
        assertThatThrownBy(() -> graph.part(List.of("trunk"), List.of("a")))
                .hasMessageContaining("either all of them or none");
    }

    @Test
    void slicesAreCutOutOfTheWhole() {
        Sequential definition =
                Sequential.of(conv2d(6, 2).named("conv"), flatten(), dense(10).named("wide"), dense(3));
        ModelPlan plan = ModelPlan.of(definition, OPTIONS, List.of(Input.of(4, 5, 5)));
        try (Model whole = plan.build();
                Scope scope = Scope.open()) {
            Map<String, NdArray> arrays = whole.arrays();
            for (Parameter p : plan.parameters()) {
                for (int axis = 0; axis < p.shape().rank(); axis++) {
                    Slice slice = Slice.part(p.name(), p.shape(), axis, 1, 2);
                    NdArray expected = slice.of(Tensor.of(arrays.get(p.name()))).toArray();
                    assertThat(plan.firstValues(slice).toArray())
                            .as("%s", slice)
                            .isEqualTo(expected);
                    assertRangesHold(plan, slice, whole);
                }
            }
        }
    }

    /** Marks the slice in the vector by its ranges, and finds the mark in the slice of the parameter and nowhere else. */
    private static void assertRangesHold(ModelPlan plan, Slice slice, Model whole) {
        NdArray before = whole.vector().values().toArray();
        Parameter p = plan.parameters().stream()
                .filter(each -> each.name().equals(slice.parameter()))
                .findFirst()
                .orElseThrow();
        try (NoGradients off = NoGradients.begin()) {
            whole.vector().values().zero_();
            plan.rangesOf(slice).forEach(range -> whole.vector().values(range).fill_(1));
            Tensor parameter = whole.vector().view(p.range(), p.shape(), p.layout());
            assertThat(slice.of(parameter).sum().item())
                    .isEqualTo(slice.shape().size())
                    .isEqualTo(whole.vector().values().sum().item());
            whole.vector().values().write(before);
        }
    }

    /** The two products of a tensor-parallel pair: columns of the first weight, rows of the second; members' results are added. */
    @Test
    void slicedLayersComputeTheirShareOfTheWhole() {
        ModelPlan plan = ModelPlan.of(
                Sequential.of(dense(10).relu().named("wide"), dense(3).noBias().named("narrow")),
                OPTIONS.type(DType.FLOAT64),
                List.of(Input.of(6)));
        try (Model whole = plan.build();
                Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor x = Tensor.full(Shape.of(2, 6), 0.7, DType.FLOAT64);
            Tensor sum = Tensor.zeros(Shape.of(2, 3), DType.FLOAT64);
            for (int member = 0; member < 2; member++) {
                List<Slice> slices = List.of(
                        Slice.part("wide.weight", Shape.of(10, 6), 0, member, 2),
                        Slice.part("wide.bias", Shape.of(10), 0, member, 2),
                        Slice.part("narrow.weight", Shape.of(3, 10), 1, member, 2));
                Layer part = Sequential.of(
                        dense(5).relu().named("wide"), dense(3).noBias().named("narrow"));
                ModelPlan sliced = plan.sliced(part, plan.inputs(), slices);
                assertThat(sliced.held()).isEqualTo(slices);
                try (Model model = sliced.build()) {
                    sum.add_(model.forward(x));
                    assertRangesWithinTheWhole(model, whole);
                }
            }
            assertThat(sum.sub(whole.forward(x)).norm().item()).isLessThan(1e-12);
            Layer wrong =
                    Sequential.of(dense(4).named("wide"), dense(3).noBias().named("narrow"));
            assertThatThrownBy(() -> plan.sliced(wrong, plan.inputs(), List.of()))
                    .isInstanceOf(TuttiException.class)
                    .hasMessageContaining("the part has wide.weight as [4, 6]: expected [10, 6]");
            Layer other = Sequential.of(dense(4).named("wid"));
            assertThatThrownBy(() -> plan.sliced(other, plan.inputs(), List.of()))
                    .hasMessageContaining("the whole model has no parameter 'wid.weight'");
        }
    }

    @Test
    void knowsItsSizeBeforeMemoryIsAllocated() {
        ModelPlan plan = ModelPlan.of(
                Sequential.of(dense(1_000_000).named("a"), dense(1_000_000)), OPTIONS, List.of(Input.of(1_000_000)));
        assertThat(plan.bytes()).isEqualTo(2L * 4 * 2 * (1_000_000L * 1_000_000 + 1_000_000));
        assertThat(plan.forInference().bytes()).isEqualTo(plan.bytes() / 2);
        assertThat(plan.part(Range.between(1, 2)).bytes()).isEqualTo(plan.bytes() / 2);
    }

    @Test
    void modelsForInferenceCarryNoGradients() {
        Case c = chains().findFirst().orElseThrow();
        try (Model model = c.plan().forInference().build();
                Model twin = c.plan().build();
                Model replica = model.replica();
                Scope scope = Scope.open()) {
            assertThat(model.arrays()).isEqualTo(twin.arrays());
            for (Model each : List.of(model, replica)) {
                assertThat(each.forward(c.batch()).toArray())
                        .isEqualTo(twin.forward(c.batch()).toArray());
                each.freeze("dense1");
                each.unfreeze("dense1");
                assertThat(each.vector().hasGradients()).isFalse();
                assertThatThrownBy(() -> each.record(List.of(c.batch())))
                        .isInstanceOf(TuttiException.class)
                        .hasMessageContaining("built for inference")
                        .hasMessageContaining("without forInference()");
            }
            assertThat(twin.vector().hasGradients()).isTrue();
        }
    }

    @Test
    void mistakesAreNamed() {
        ModelPlan chain = chains().findFirst().orElseThrow().plan();
        assertThatThrownBy(() -> chain.part(Range.between(3, 9)))
                .isInstanceOf(TuttiException.class)
                .hasMessage("a part has one layer or more of [0, 6): received [3, 9)");
        assertThatThrownBy(() -> chain.part(List.of("dense1"), List.of("dense2")))
                .hasMessage("a part between named values can be cut out of a Graph: the model is a sequential");
        assertThatThrownBy(() -> chain.part(Range.between(0, 2)).part(Range.between(0, 1)))
                .hasMessageContaining("call whole() first");
        ModelPlan graph = graphPlan();
        assertThatThrownBy(() -> graph.part(Range.between(0, 99))).hasMessageContaining("received [0, 99)");
        assertThatThrownBy(() -> graph.part(List.of("trunk"), List.of("c"))).hasMessageContaining("no value 'c'");
        assertThatThrownBy(() -> graph.part(List.of("words"), List.of("trunk")))
                .hasMessage("the values [trunk] need 'x', which the part is not given: it begins with [words]");
        assertThatThrownBy(() -> graph.part(List.of("trunk", "words"), List.of("a")))
                .hasMessage("the values [a] do not need 'words', which the part begins with");
        assertThatThrownBy(() -> chain.firstValues(Slice.all("dense9.weight", Shape.of(2))))
                .hasMessageContaining("dense9.weight");
        assertThatThrownBy(() -> new Slice("w", Shape.of(4, 2), 1, Range.between(1, 3)))
                .hasMessage("a slice of w [4, 2] along axis 1 lies within [0, 2): received [1, 3)");
        assertThatThrownBy(() -> new Slice("w", Shape.of(4, 2), 2, Range.between(0, 1)))
                .hasMessageContaining("it has 2 axes");
    }
}
