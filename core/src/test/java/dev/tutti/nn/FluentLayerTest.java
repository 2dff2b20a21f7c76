package dev.tutti.nn;

import static dev.tutti.nn.Layers.add;
import static dev.tutti.nn.Layers.attention;
import static dev.tutti.nn.Layers.avgPool1d;
import static dev.tutti.nn.Layers.avgPool2d;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.concatenate;
import static dev.tutti.nn.Layers.conv1d;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.convTranspose1d;
import static dev.tutti.nn.Layers.convTranspose2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.globalAvgPool1d;
import static dev.tutti.nn.Layers.globalMaxPool1d;
import static dev.tutti.nn.Layers.globalMaxPool2d;
import static dev.tutti.nn.Layers.gru;
import static dev.tutti.nn.Layers.layerNorm;
import static dev.tutti.nn.Layers.lstm;
import static dev.tutti.nn.Layers.maxPool1d;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.permute;
import static dev.tutti.nn.Layers.positionalEncoding;
import static dev.tutti.nn.Layers.reshape;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.transformerEncoder;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.json.Json;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fluent calls keep the type of a layer, whichever comes first. That this compiles is half of the test. */
class FluentLayerTest {
    private static final List<Layer> CHAINS = List.of(
            dense(3).relu().noBias(),
            conv1d(4, 3).gelu().stride(2),
            conv2d(8, 3).relu().stride(2),
            convTranspose1d(4, 3).tanh().outputPadding(1).stride(2),
            convTranspose2d(4, 3).named("up").activation(Activation.SILU).same(),
            maxPool1d(2).relu().stride(1),
            maxPool2d(2).relu().padding(1),
            avgPool1d(2).sigmoid().stride(1),
            avgPool2d(2).named("pool").stride(1),
            globalMaxPool1d().named("most").timeFirst(),
            globalAvgPool1d().relu().timeFirst(),
            batchNorm().relu().momentum(0.2),
            layerNorm().gelu().epsilon(1e-4),
            embedding(10, 4).tanh().paddingId(0),
            lstm(4).named("past").sequence(),
            gru(4).relu().bidirectional(),
            attention(2).named("look").causal(),
            transformerEncoder(2).named("block").dropout(0.1),
            positionalEncoding().named("where").learned(),
            residual(dense(3)).relu().shortcut(dense(3)));

    static List<Layer> chains() {
        return CHAINS;
    }

    @ParameterizedTest
    @MethodSource("chains")
    void whatWasSetFirstIsStillThereAfterALaterSetting(Layer layer) {
        assertThat(layer.name().isPresent() || layer.activation() != Activation.NONE)
                .as(Json.write(layer))
                .isTrue();
    }

    @Test
    void layersWithoutSettingsOfTheirOwnKeepTheirTypeToo() {
        Flatten flat = flatten().relu().named("flat");
        Reshape reshaped = reshape(2, 3).named("reshaped").relu();
        Permute permuted = permute(2, 1).relu().named("permuted");
        Dropout dropped = dropout(0.5).named("dropped").relu();
        GlobalMaxPool2d most = globalMaxPool2d().relu().named("most");
        Add sum = add().relu().named("sum");
        Concatenate joined = concatenate().named("joined").softmax();
        Sequential all = Sequential.of(flat, dense(2)).named("all").relu();
        assertThat(List.of(flat, reshaped, permuted, dropped, most, sum, joined, all))
                .allMatch(layer -> layer.name().isPresent()
                        && layer.activation() != Activation.NONE
                        && layer instanceof FluentLayer);
    }

    @Test
    void everyBuiltInLayerReturnsItsOwnTypeFromEverySetting() {
        for (Class<?> type : new LayerDefinitions().named().keySet()) {
            assertThat(FluentLayer.class).as("%s", type).isAssignableFrom(type);
            for (Method method : Layer.class.getMethods()) {
                if (method.getReturnType() == Layer.class) {
                    assertThat(FluentLayer.class.getDeclaredMethods())
                            .as("%s keeps the type of a layer", method)
                            .anyMatch(own -> own.getName().equals(method.getName())
                                    && own.getReturnType() == FluentLayer.class
                                    && List.of(own.getParameterTypes()).equals(List.of(method.getParameterTypes())));
                }
            }
        }
    }
}
