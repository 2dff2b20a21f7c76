package dev.tutti.nn;

import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.RecordedPasses.assertClose;
import static dev.tutti.nn.RecordedPasses.assertEqualAsWritten;
import static dev.tutti.nn.RecordedPasses.gradients;
import static dev.tutti.nn.RecordedPasses.leavesEarly;
import static dev.tutti.nn.RecordedPasses.model;
import static dev.tutti.nn.RecordedPasses.recorded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tensor.Engine;
import dev.tutti.tensor.EngineProbe;
import dev.tutti.tensor.Scope;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Chains of convolutions and pools that are kept ready give what the model as written gives. */
class ConvChainTest {
    private static final Input IMAGES = Input.of(3, 13, 11);
    private static final Layer PLAIN = Sequential.of(
            conv2d(20, 3).same().relu(), maxPool2d(2), conv2d(7, 3).relu(), flatten(), dense(4));

    @AfterEach
    void useAllCoresAgain() {
        Engine.useThreads(Engine.cores());
    }

    static Stream<Layer> stretches() {
        return Stream.of(
                PLAIN,
                Sequential.of(conv2d(16, 3).relu(), conv2d(32, 3).relu(), conv2d(5, 1)),
                Sequential.of(
                        conv2d(6, 5, 3).stride(2, 1).padding(2, 1).relu(),
                        maxPool2d(3).stride(2).padding(1)),
                Sequential.of(
                        conv2d(9, 3).dilation(2).noBias(), conv2d(4, 3).noBias().relu(), flatten(), dense(2)),
                Sequential.of(
                        conv2d(6, 3).groups(3).same().relu(),
                        conv2d(12, 3).groups(2).same(),
                        maxPool2d(3)),
                Sequential.of(maxPool2d(2), conv2d(8, 2).relu()),
                Sequential.of(conv2d(90, 3).same(), conv2d(90, 3).relu(), conv2d(3, 1)), // a large gradient
                Sequential.of(
                        conv2d(8, 3).relu(),
                        conv2d(8, 3),
                        batchNorm(),
                        conv2d(8, 3).relu(),
                        conv2d(2, 1),
                        flatten()),
                Sequential.of(
                        conv2d(8, 1),
                        residual(conv2d(8, 3).same().relu(), conv2d(8, 3).same()),
                        conv2d(8, 3).relu(),
                        maxPool2d(2)),
                Sequential.of(
                        Sequential.of(conv2d(8, 3).relu(), maxPool2d(2)),
                        Sequential.of(conv2d(8, 2), conv2d(4, 2).relu()),
                        flatten(),
                        dense(600).relu(),
                        dense(3)));
    }

    @ParameterizedTest
    @MethodSource("stretches")
    void equalTheModelAsWritten(Layer definition) {
        assertEqualAsWritten(definition, IMAGES);
    }

    @Test
    void areMadeReadyForAnyNumberOfRowsAndCores() {
        try (Model fast = model(PLAIN, IMAGES, Model.Options.DEFAULT);
                Model plain = model(PLAIN, IMAGES, Model.Options.DEFAULT.asWritten())) {
            for (int cores = 1; cores <= Math.min(2, Engine.cores()); cores++) {
                Engine.useThreads(cores);
                for (int rows : new int[] {1, 40, 7, 3, 16, 1, 40}) {
                    assertClose(gradients(fast, 1, rows), gradients(plain, 1, rows));
                }
            }
        }
    }

    @Test
    void frozenLayersStayAsTheyAre() {
        assertEqualAsWritten(PLAIN, IMAGES, List.of("conv2d1", "conv2d2", "conv2d1.bias", "conv2d2.weight"));
    }

    @Test
    void doWithoutWhatTheEngineDoesAnewInEveryStep() {
        for (Layer definition : stretches().toList()) {
            assertThat(leavesEarly(definition, IMAGES)).as("%s", definition).isEqualTo(EngineProbe.hasOneDnn());
        }
    }

    @Test
    void whatIsNotANumberStaysOne() {
        try (Model model =
                        model(Sequential.of(conv2d(4, 3).relu(), conv2d(4, 3).relu()), IMAGES, Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            model.vector().values(model.parameters().get(0).range()).fill_(Double.NaN);
            RecordedPasses.Recorded recorded = recorded(model, 0);
            assertThat(recorded.loss().item()).isNaN();
            recorded.pass().close();
        }
    }

    @Test
    void nothingIsLeftBehind() {
        try (Model model = model(PLAIN, IMAGES, Model.Options.DEFAULT)) {
            gradients(model, 2);
            long before = EngineProbe.liveObjects();
            gradients(model, 5);
            assertThat(EngineProbe.liveObjects()).isEqualTo(before);
        }
    }
}
