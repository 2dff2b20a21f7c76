package dev.tutti.federated.wire;

import static dev.tutti.nn.Layers.dense;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.federated.ClientState;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.SharedParameters;
import dev.tutti.io.Safetensors;
import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UpdateCodecTest {
    private static SharedParameters shared(String... frozen) {
        try (Model model = Model.of(Sequential.of(dense(20).relu(), dense(10)), Input.of(30))) {
            List.of(frozen).forEach(model::freeze);
            return SharedParameters.of(model, List.of());
        }
    }

    private static float[] vector(int size) {
        Random random = new Random(1);
        float[] out = new float[size];
        for (int i = 0; i < size; i++) {
            out[i] = (float) random.nextGaussian();
        }
        return out;
    }

    @ParameterizedTest
    @EnumSource(UpdateEncoding.class)
    void comesBackAndWhatIsLostComesWithTheNext(UpdateEncoding encoding) {
        SharedParameters shared = shared();
        UpdateCodec codec = new UpdateCodec(shared, encoding);
        float[] delta = vector(shared.size());
        ClientState state = new ClientState();
        double[] sum = new double[delta.length];
        int rounds = 400;
        int bytes = 0;
        for (int round = 0; round < rounds; round++) {
            byte[] encoded =
                    codec.encode(new ClientUpdate("a", round, 7, delta, Optional.empty(), 3, 0.5, 0.25), state);
            bytes = encoded.length;
            ClientUpdate decoded = codec.decode(encoded, "a");
            assertThat(decoded.round()).isEqualTo(round);
            assertThat(decoded.samples()).isEqualTo(7);
            assertThat(decoded.lossBefore()).isEqualTo(0.25);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += decoded.delta()[i];
            }
        }
        for (int i = 0; i < sum.length; i++) {
            assertThat(sum[i] / rounds).as("mean of place %d", i).isCloseTo(delta[i], within(0.6));
        }
        int full = 4 * shared.size();
        assertThat(bytes)
                .isLessThan(
                        switch (encoding) {
                            case FLOAT32 -> full + 1000;
                            case BFLOAT16 -> full / 2 + 1000;
                            case INT8 -> full / 4 + 1000;
                            case TOP_K -> full / 40 + 1000;
                        });
    }

    @Test
    void frozenParametersDoNotTravel() {
        assertThat(shared("dense1").size()).isEqualTo(20 * 10 + 10);
        assertThat(shared().size()).isEqualTo(30 * 20 + 20 + 20 * 10 + 10);
    }

    @Test
    void wrongShapesNamesAndNotesAreRefused() {
        SharedParameters shared = shared();
        UpdateCodec codec = new UpdateCodec(shared, UpdateEncoding.FLOAT32);
        byte[] other = ModelCodec.bytes(new Safetensors(
                Map.of("dense1.weight", NdArray.of(new float[6], 2, 3)), Map.of("round", "1", "samples", "3")));
        assertThatThrownBy(() -> codec.decode(other, "mallory"))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("the update of mallory")
                .hasMessageContaining("expected dense1.weight");
        byte[] noRound =
                ModelCodec.bytes(new Safetensors(shared.arrays(vector(shared.size())), Map.of("samples", "3")));
        assertThatThrownBy(() -> codec.decode(noRound, "mallory")).hasMessageContaining("'round'");
        assertThatThrownBy(() -> codec.decode(new byte[] {1, 2, 3}, "mallory")).isInstanceOf(TuttiException.class);
    }

    /** A header that promises gigabytes is refused before anything is allocated. */
    @Test
    void aHeaderThatPromisesTooMuchIsRefused() {
        byte[] header = "{\"dense1.weight\":{\"dtype\":\"F32\",\"shape\":[500000000],\"data_offsets\":[0,2000000000]}}"
                .getBytes(StandardCharsets.UTF_8);
        byte[] bytes = ByteBuffer.allocate(8 + header.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length)
                .put(header)
                .array();
        UpdateCodec codec = new UpdateCodec(shared(), UpdateEncoding.FLOAT32);
        assertThatThrownBy(() -> codec.decode(bytes, "mallory"))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("cut short");
    }
}
