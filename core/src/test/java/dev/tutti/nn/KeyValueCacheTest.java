package dev.tutti.nn;

import static dev.tutti.nn.Layers.attention;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.lstm;
import static dev.tutti.nn.Layers.positionalEncoding;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.rmsNorm;
import static dev.tutti.nn.Layers.swiGlu;
import static dev.tutti.nn.Layers.tiedEmbedding;
import static dev.tutti.nn.Layers.transformerEncoder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps that come one after the other give what all of them at once do. */
class KeyValueCacheTest {
    private static final int STEPS = 12;
    private static final int VOCABULARY = 9;

    private static final Layer DECODER = Sequential.of(
            embedding(VOCABULARY, 8),
            residual(rmsNorm(), attention(2).causal().rotary().noBias()),
            residual(rmsNorm(), swiGlu(12)),
            residual(rmsNorm(), attention(4).causal()),
            rmsNorm(),
            dense(VOCABULARY));

    private static final List<Layer> MODELS = List.of(
            DECODER,
            Sequential.of(
                    embedding(VOCABULARY, 8),
                    positionalEncoding().learned(),
                    transformerEncoder(2).inner(16).causal(),
                    dense(VOCABULARY)),
            tiedEmbedding(VOCABULARY, 8, transformerEncoder(2).inner(16).causal()));

    private static NdArray ids(int from, int to) {
        long[] ids = new long[2 * (to - from)];
        for (int row = 0; row < 2; row++) {
            for (int i = from; i < to; i++) {
                ids[row * (to - from) + i - from] = (row + i * 5L) % VOCABULARY;
            }
        }
        return NdArray.of(ids, 2, to - from);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void stepsOneByOneGiveWhatAllAtOnceDo(int which) {
        try (Model model = Model.of(MODELS.get(which), Input.ids(STEPS));
                KeyValueCache cache = KeyValueCache.of(model)) {
            NdArray all = model.predict(ids(0, STEPS));
            int at = 0;
            for (int size : new int[] {4, 1, 1, 3, 2, 1}) { // a beginning, single steps, and several on top of others
                NdArray some = model.predict(ids(at, at + size), cache);
                for (int row = 0; row < 2; row++) {
                    for (int i = 0; i < size * VOCABULARY; i++) {
                        assertThat(some.at(row * size * VOCABULARY + i))
                                .isCloseTo(all.at((row * STEPS + at) * VOCABULARY + i), within(1e-5));
                    }
                }
                at += size;
                assertThat(cache.steps()).isEqualTo(at);
            }
        }
    }

    @Test
    void aClearedCacheBeginsAnew() {
        try (Model model = Model.of(DECODER, Input.ids(STEPS));
                KeyValueCache cache = KeyValueCache.of(model)) {
            NdArray first = model.predict(ids(0, 5), cache);
            NdArray further = model.predict(ids(0, 5), cache);
            assertThat(further.at(3)).isNotEqualTo(first.at(3));
            cache.clear();
            NdArray again = model.predict(ids(0, 5), cache);
            for (int i = 0; i < first.size(); i++) {
                assertThat(again.at(i)).isEqualTo(first.at(i));
            }
        }
    }

    @Test
    void layersThatLookAheadAreRefused() {
        for (Layer layer : List.of(attention(2), lstm(8), transformerEncoder(2))) {
            try (Model model = Model.of(Sequential.of(embedding(VOCABULARY, 8), layer), Input.ids(STEPS))) {
                assertThatThrownBy(() -> KeyValueCache.of(model)).hasMessageContaining("cannot go on step by step");
            }
        }
    }
}
