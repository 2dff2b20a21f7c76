package dev.tutti.data.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.data.Numbered;
import dev.tutti.data.RowRandom;
import dev.tutti.data.Sample;
import dev.tutti.json.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransformTest {
    private static final NdArray BYTES = NdArray.of(new byte[] {0, 51, (byte) 255, 1}, 2, 2);
    private static final Sample SAMPLE = Sample.of(BYTES, NdArray.of(new long[] {3}));

    @Test
    void scaleMakesFloatsOfUnsignedBytes() {
        NdArray scaled = Transform.scale(1 / 255.0, 1).apply(SAMPLE).feature();
        assertThat(scaled.shape()).isEqualTo(Shape.of(2, 2));
        assertThat(scaled.floats()).containsExactly(new float[] {1, 1.2f, 2, 1 + 1 / 255f}, within(1e-6f));
        assertThat(Transform.scale(2, 0).apply(SAMPLE).label()).isSameAs(SAMPLE.label());
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FLOAT16", "BFLOAT16"})
    void everyTypeIsConvertedLikeItsSlowTwin(DType type) {
        NdArray values = NdArray.of(new double[] {0, 1, 2, 250}, 4).to(type);
        for (DType to : DType.values()) {
            if (!to.isOfArrays()) {
                assertThatThrownBy(() -> values.to(to)).hasMessageContaining("no arrays of it");
                continue;
            }
            assertThat(Transform.cast(to).apply(Sample.of(values)).feature()).isEqualTo(values.to(to));
        }
        NdArray scaled = Transform.scale(3, 0).apply(Sample.of(values)).feature();
        for (int i = 0; i < 4; i++) {
            assertThat(scaled.at(i)).isEqualTo(3 * values.at(i));
        }
    }

    @Test
    void transformSaysWhichArraysItTreats() {
        Sample two = new Sample(List.of(BYTES, BYTES), List.of(BYTES));
        Sample labels = Transform.cast(DType.INT64).onLabels().apply(two);
        assertThat(labels.features()).containsExactly(BYTES, BYTES);
        assertThat(labels.label().type()).isEqualTo(DType.INT64);

        Sample second = Transform.cast(DType.INT64).only(1).apply(two);
        assertThat(second.features().get(0)).isSameAs(BYTES);
        assertThat(second.features().get(1).type()).isEqualTo(DType.INT64);
        assertThat(second.labels()).containsExactly(BYTES);

        assertThat(Transform.flatten().onBoth().apply(two).label().shape()).isEqualTo(Shape.of(4));
        assertThatThrownBy(() -> Transform.flatten().only(2).apply(two))
                .isInstanceOf(DataException.class)
                .hasMessage("there is no array 2 among the features: there are 2");
    }

    @Test
    void reshapeFindsTheOpenExtent() {
        assertThat(Transform.reshape(1, -1, 2).apply(SAMPLE).feature().shape()).isEqualTo(Shape.of(1, 2, 2));
        assertThat(Transform.reshape(4).apply(SAMPLE).feature().data()).isSameAs(BYTES.data());
        assertThatThrownBy(() -> Transform.reshape(3, 2).apply(SAMPLE))
                .isInstanceOf(DataException.class)
                .hasMessage("an array of uint8[2, 2] does not fit the shape [3, 2]");
        assertThatThrownBy(() -> Transform.reshape(3, -1).apply(SAMPLE))
                .hasMessageContaining("does not fit the shape [3, ?]");
        assertThatThrownBy(() -> Transform.reshape(-1, -1).apply(SAMPLE)).hasMessageContaining("at most one extent");
    }

    @Test
    void oneHotMarksTheClass() {
        assertThat(Transform.oneHot(5).apply(SAMPLE).label()).isEqualTo(NdArray.of(new float[] {0, 0, 0, 1, 0}, 5));
        assertThatThrownBy(() -> Transform.oneHot(3).apply(SAMPLE))
                .isInstanceOf(DataException.class)
                .hasMessage("class 3 is outside 0 to 2");
    }

    @Test
    void normalizeFitsEachFeature() {
        float[] rows = {1, 10, 5, 2, 20, 5, 3, 60, 5};
        Dataset dataset = Dataset.of(NdArray.of(rows, 3, 3)).batch(2);
        Normalize fitted = Normalize.fit(dataset);

        assertThat(fitted.mean()).containsExactly(new double[] {2, 30, 5}, within(1e-9));
        assertThat(fitted.std())
                .containsExactly(new double[] {Math.sqrt(2 / 3.0), Math.sqrt(1400 / 3.0), 0}, within(1e-9));
        Batch normal = Numbered.epoch(dataset.map(fitted).batch(3), 0).get(0);
        assertThat(normal.feature().floats())
                .containsExactly(
                        new float[] {-1.2247f, -0.9258f, 0, 0, -0.4629f, 0, 1.2247f, 1.3887f, 0}, within(1e-3f));
        assertThatThrownBy(() -> fitted.apply(Sample.of(BYTES)))
                .hasMessage("an array of uint8[2, 2] has 2 columns, but there are 3 means");
    }

    @Test
    void normalizeFitsEachChannelOfImages() {
        float[] images = new float[4 * 2 * 3 * 5];
        for (int i = 0; i < images.length; i++) {
            images[i] = i / 15 % 2 == 0 ? i % 2 : 1000 + i % 2;
        }
        Normalize fitted = Normalize.fit(Dataset.of(NdArray.of(images, 4, 2, 3, 5)));
        assertThat(fitted.mean()).containsExactly(new double[] {0.5, 1000.5}, within(0.04));
        assertThat(fitted.std()).containsExactly(new double[] {0.5, 0.5}, within(0.01));
    }

    @Test
    void normalizeOfMnistIsTheKnownOne() {
        Normalize fitted = Normalize.fit(Mnist.train().batch(256));
        assertThat(fitted.mean()[0]).isCloseTo(0.1307, within(1e-4));
        assertThat(fitted.std()[0]).isCloseTo(0.3081, within(1e-4));
        assertThat(Json.read(Json.write(fitted), Transform.class, "transform").apply(Sample.of(BYTES)))
                .isEqualTo(fitted.apply(Sample.of(BYTES)));
    }

    @Test
    void shiftMovesTheImageAndFillsWithZero() {
        NdArray image = NdArray.of(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 3, 3);
        Set<List<Float>> seen = new HashSet<>();
        for (int seed = 0; seed < 500; seed++) {
            seen.add(values(RandomTransform.randomShift(1).apply(Sample.of(image), new RowRandom(seed))));
        }
        assertThat(seen)
                .hasSize(9)
                .contains(
                        List.of(1f, 2f, 3f, 4f, 5f, 6f, 7f, 8f, 9f),
                        List.of(0f, 0f, 0f, 0f, 1f, 2f, 0f, 4f, 5f),
                        List.of(5f, 6f, 0f, 8f, 9f, 0f, 0f, 0f, 0f),
                        List.of(0f, 0f, 0f, 1f, 2f, 3f, 4f, 5f, 6f));
        assertThat(image.floats()).startsWith(1, 2, 3);
        assertThat(values(RandomTransform.randomShift(9).apply(Sample.of(image), new RowRandom(4))))
                .containsOnly(0f);
    }

    @Test
    void flipMirrorsEveryOtherImage() {
        NdArray image = NdArray.of(new float[] {1, 2, 3, 4, 5, 6}, 1, 2, 3);
        NdArray bytes = NdArray.of(new byte[] {1, 2, 3, 4, 5, 6}, 1, 2, 3);
        Set<List<Float>> seen = new HashSet<>();
        for (int seed = 0; seed < 50; seed++) {
            Sample flipped = RandomTransform.randomFlip()
                    .apply(new Sample(List.of(image, bytes), List.of()), new RowRandom(seed));
            seen.add(values(flipped));
            assertThat(flipped.features().get(1).to(DType.FLOAT32)).isEqualTo(flipped.feature());
        }
        assertThat(seen).containsExactlyInAnyOrder(List.of(1f, 2f, 3f, 4f, 5f, 6f), List.of(3f, 2f, 1f, 6f, 5f, 4f));
        assertThatThrownBy(() ->
                        RandomTransform.randomShift(1).apply(Sample.of(NdArray.of(new float[3], 3)), new RowRandom(1)))
                .hasMessage("randomShift needs images of height and width, received float32[3]");
    }

    private static List<Float> values(Sample sample) {
        List<Float> values = new ArrayList<>();
        for (float value : sample.feature().floats()) {
            values.add(value);
        }
        return values;
    }
}
