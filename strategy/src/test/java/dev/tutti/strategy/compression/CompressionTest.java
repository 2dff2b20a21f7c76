package dev.tutti.strategy.compression;

import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.compression.Compressions.bf16;
import static dev.tutti.strategy.compression.Compressions.fp16;
import static dev.tutti.strategy.compression.Compressions.powerSgd;
import static dev.tutti.strategy.compression.Compressions.topK;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Traffic;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.Weights;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every compression has to hold, and that it is what its twin says. */
@Timeout(180)
class CompressionTest {
    private static final int STEPS = 6;

    /** @param tolerance 0 where not a bit may differ */
    record Case(Compression compression, Function<Model, Twin> twin, double tolerance) {
        @Override
        public String toString() {
            return compression.toString();
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(fp16(), model -> ShortFloatTwin.FP16, 0),
                new Case(bf16(), model -> ShortFloatTwin.BF16, 0),
                new Case(topK(0.05), model -> new TopKTwin(0.05), 0),
                new Case(topK(1), model -> new TopKTwin(1), 0),
                new Case(powerSgd(1), model -> new PowerSgdTwin(model, 1), 1e-4),
                new Case(powerSgd(3), model -> new PowerSgdTwin(model, 3), 1e-4));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isItsTwin(Case each) {
        for (int members = 2; members <= 3; members++) {
            List<float[][]> steps = gradients(members);
            List<List<float[]>> results = replay(each.compression, steps, members);
            try (Model model = model()) {
                Twin twin = each.twin.apply(model);
                for (int step = 0; step < STEPS; step++) {
                    float[] expected = twin.sum(steps.get(step));
                    for (List<float[]> member : results) {
                        assertThat(member.get(step))
                                .as("the same bits on all members")
                                .containsExactly(results.get(0).get(step));
                        assertThat(member.get(step)).containsExactly(expected, within((float) each.tolerance));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aStepThatIsDoneAgainLeavesNoTrace(Case each) {
        List<float[][]> steps = gradients(2);
        List<List<float[]>> once = replay(each.compression, steps, 2);
        List<List<float[]>> again = Members.of(2).with(collectives -> {
            try (Model model = model();
                    GradientSum sum = each.compression.bind(model)) {
                List<float[]> results = new ArrayList<>();
                for (int step = 0; step < STEPS; step++) {
                    if (step == 0) { // later the right factors of the power method begin anew
                        summed(sum, collectives, steps.get(STEPS - 1), step);
                        sum.regrouped();
                    }
                    results.add(summed(sum, collectives, steps.get(step), step));
                }
                return results;
            }
        });
        for (int step = 0; step < STEPS; step++) {
            assertThat(again.get(1).get(step)).containsExactly(once.get(1).get(step));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aloneNothingIsCompressed(Case each) {
        float[] gradients = gradients(1).get(0)[0];
        try (Model model = model();
                GradientSum sum = each.compression.bind(model)) {
            List<float[]> alone =
                    Members.of(1).with(collectives -> summed(sum, collectives, new float[][] {gradients}, 0));
            assertThat(alone.get(0)).containsExactly(gradients);
        }
    }

    @Test
    void whatWasHeldBackIsPaidWhenNobodyElseIsLeft() {
        List<float[][]> steps = gradients(2);
        float[] own = steps.get(0)[1];
        try (Model model = model();
                GradientSum sum = topK(0.05).bind(model);
                GradientSum other = topK(0.05).bind(model)) {
            Members.of(2)
                    .with(collectives ->
                            summed(collectives.group().rank() == 1 ? sum : other, collectives, steps.get(0), 0));
            float[] paid = Members.of(1)
                    .with(collectives -> summed(sum, collectives, new float[1][own.length], 1))
                    .get(0);
            int sent = 0;
            for (int i = 0; i < own.length; i++) {
                sent += paid[i] == 0 ? 1 : 0;
                assertThat(paid[i]).isIn(0f, own[i]);
            }
            assertThat(sent).isEqualTo(Math.round(own.length * 0.05f));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void learns(Case each) {
        Dataset data = Blobs.data(300).batch(30);
        List<Members.Result> results = Members.of(2)
                .fit(Blobs::trainer, data, epochs(12).with(allReduce().compression(each.compression)));
        Weights.ofAll(results);
        List<Members.Result> plain =
                Members.of(2).fit(Blobs::trainer, data, epochs(12).with(allReduce()));
        double loss = lastLoss(results);
        assertThat(loss).isLessThan(lastLoss(plain) * 1.15 + 0.01);
    }

    private static double lastLoss(List<Members.Result> results) {
        return results.get(0).history().last().training().loss();
    }

    @Test
    void bytesAreWhatTheDocumentationSays() {
        assertThat(sent(fp16(), 2)).isEqualTo(2L * size());
        long part = (size() + 3L) / 4;
        assertThat(sent(bf16(), 4)).isEqualTo(2 * (size() - part + 3 * part));
        long count = Math.round(size() * 0.05);
        assertThat(sent(topK(0.05), 3)).isEqualTo(2 * count * 8);
        try (Model model = model()) {
            Factors factors = new Factors(model, 1);
            assertThat(sent(powerSgd(1), 2)).isEqualTo(4 * (factors.left() + factors.right()));
            assertThat(factors.left() + factors.right()).isLessThan(size() / 4);
        }
    }

    /** What is frozen does not travel; what is owed for it waits, and is paid when it learns again. */
    @ParameterizedTest
    @MethodSource("cases")
    void whatIsFrozenStaysBehind(Case each) {
        if (!(each.compression instanceof TopKCompression || each.compression instanceof PowerSgdCompression)) {
            return; // others are given the parameters that learn alone
        }
        List<float[][]> steps = gradients(2);
        List<String> told = Members.of(2).with(collectives -> {
            try (Model model = model();
                    GradientSum sum = each.compression.bind(model)) {
                int rank = collectives.group().rank();
                Traffic start = collectives.traffic();
                summed(sum, collectives, steps.get(0), 0);
                Traffic all = collectives.traffic().since(start);
                model.freeze("conv2d1");
                Range frozen = model.parameters().get(0).range();
                long learning =
                        model.trainable().stream().mapToLong(Range::length).sum();
                Traffic before = collectives.traffic();
                float[] result = summed(sum, collectives, steps.get(1), 1);
                long sent = collectives.traffic().since(before).sent();
                float[] own = steps.get(1)[rank];
                for (long i = frozen.from(); i < frozen.to(); i++) {
                    assertThat(result[(int) i]).isEqualTo(own[(int) i]);
                }
                assertThat(sent).isLessThan(all.sent());
                assertThat((double) sent / all.sent())
                        .isBetween(0.3 * learning / own.length, 1.7 * learning / own.length);
                model.unfreeze("conv2d1");
                summed(sum, collectives, steps.get(2), 2);
                return "done";
            }
        });
        assertThat(told).containsExactly("done", "done");
    }

    private static long sent(Compression compression, int members) {
        List<float[][]> steps = gradients(members);
        return Members.of(members)
                .with(collectives -> {
                    try (Model model = model();
                            GradientSum sum = compression.bind(model)) {
                        Traffic before = collectives.traffic();
                        summed(sum, collectives, steps.get(0), 0);
                        return collectives.traffic().since(before).sent();
                    }
                })
                .get(0);
    }

    @Test
    void columnsOfTheBasisThatComeToNothingAreDrawnAnew() {
        List<float[][]> steps = gradients(2);
        float[][] zeros = new float[2][size()];
        List<float[]> results = Members.of(2).with(collectives -> {
            try (Model model = model();
                    GradientSum sum = powerSgd(2).bind(model)) {
                assertThat(summed(sum, collectives, zeros, 0)).containsOnly(0f);
                return summed(sum, collectives, steps.get(0), 1);
            }
        });
        try (Model model = model()) {
            long from = model.parameters().get(0).range().from();
            assertThat(results.get(0)[(int) from]).isNotZero();
        }
    }

    @Test
    void settingsOutOfBoundsAreNamed() {
        assertThatThrownBy(() -> topK(0))
                .hasMessage("topK: the fraction of gradients that are sent must be above 0 and up to 1, received 0.0");
        assertThatThrownBy(() -> powerSgd(0)).hasMessage("powerSgd: the rank must be at least 1, received 0");
    }

    private static List<List<float[]>> replay(Compression compression, List<float[][]> steps, int members) {
        return Members.of(members).with(collectives -> {
            try (Model model = model();
                    GradientSum sum = compression.bind(model)) {
                List<float[]> results = new ArrayList<>();
                for (int step = 0; step < STEPS; step++) {
                    results.add(summed(sum, collectives, steps.get(step), step));
                }
                return results;
            }
        });
    }

    private static float[] summed(GradientSum sum, Collectives collectives, float[][] members, int step) {
        try (Scope scope = Scope.open()) {
            float[] own = members[collectives.group().rank()];
            Tensor gradients = Tensor.of(own, own.length);
            sum.sum(collectives, gradients, step);
            return gradients.toArray().floats();
        }
    }

    /** Matrices, a kernel laid out with channels last, and vectors between them. */
    private static Model model() {
        return Model.of(
                Sequential.of(conv2d(6, 3), batchNorm(), flatten(), dense(9).tanh(), dense(3)),
                new Input(Shape.of(4, 6, 6), DType.FLOAT32));
    }

    private static int size() {
        try (Model model = model()) {
            return (int) model.vector().size();
        }
    }

    private static List<float[][]> gradients(int members) {
        Random random = new Random(5);
        int size = size();
        List<float[][]> steps = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            float[][] gradients = new float[members][size];
            for (float[] member : gradients) {
                for (int i = 0; i < size; i++) {
                    member[i] = (float) random.nextGaussian();
                }
            }
            steps.add(gradients);
        }
        return steps;
    }
}
