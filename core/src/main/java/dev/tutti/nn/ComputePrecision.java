package dev.tutti.nn;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.tensor.Device;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a model multiplies in. Parameters, their gradients, the optimizer's state, norms, softmax, losses and metrics are float32 in any
 * case; with {@code bf16} products of matrices, convolutions and attention take bfloat16 and sum in float32: see
 * {@link LayerPrecision} for the layers. In files it is {@code bf16} or {@code {type: bf16, always: true}}.
 *
 * <p>{@code fp16} is for graphics cards. Its numbers end at 65,504 and at 6e-8, so losses are {@link #scalesLosses scaled} while training.
 * On the processor, which has no products of them, what is multiplied is rounded to fp16 and multiplied in float32: the results are
 * those of fp16, the speed and the memory those of float32.
 *
 * @param format the numbers that are multiplied
 * @param always whether the format is used where the processor has no instructions for it as well: slower there, with smaller
 *     activations
 */
public record ComputePrecision(Format format, boolean always) {
    private static final Logger LOG = LoggerFactory.getLogger(ComputePrecision.class);
    private static final AtomicBoolean SAID = new AtomicBoolean();
    private static final AtomicBoolean SAID_ROUNDING = new AtomicBoolean();

    /** The numbers that are multiplied. */
    public enum Format {
        FLOAT32,
        BF16,
        FP16;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static final ComputePrecision FLOAT32 = new ComputePrecision(Format.FLOAT32, false);
    public static final ComputePrecision BF16 = new ComputePrecision(Format.BF16, false);
    public static final ComputePrecision FP16 = new ComputePrecision(Format.FP16, false);

    /** The precision of a name: {@code float32}, {@code bf16} or {@code fp16}. */
    public static ComputePrecision named(String name) {
        return named(name, "precision: ");
    }

    private static ComputePrecision named(String name, String where) {
        for (Format format : Format.values()) {
            if (format.toString().equals(name)) {
                return new ComputePrecision(format, false);
            }
        }
        List<String> names =
                Arrays.stream(Format.values()).map(Format::toString).toList();
        throw new TuttiException(where + "expected one of " + String.join(", ", names) + ", received '" + name + "'"
                + DidYouMean.hint(name, names));
    }

    /** The same where the processor has no instructions for it as well, for smaller activations. */
    public ComputePrecision everywhere() {
        return new ComputePrecision(format, true);
    }

    @JsonCreator
    static ComputePrecision of(JsonNode node) {
        if (node.isTextual()) {
            return named(node.asText(), ""); // the reader says where
        }
        Set<String> fields = new TreeSet<>();
        node.fieldNames().forEachRemaining(fields::add);
        fields.removeAll(List.of("type", "always"));
        if (!node.isObject() || !node.path("type").isTextual() || !fields.isEmpty()) {
            throw new TuttiException("expected float32, bf16, fp16 or {type: bf16, always: true}, received " + node);
        }
        ComputePrecision precision = named(node.get("type").asText(), "");
        return node.path("always").asBoolean() ? precision.everywhere() : precision;
    }

    @JsonValue
    Object json() {
        return always ? Map.of("type", format.toString(), "always", true) : format.toString();
    }

    /**
     * The type that a model on a device multiplies in where it is not the model's own. Where the processor has no instructions for it,
     * says so once and stays with float32, unless the format is {@link #always} wanted.
     */
    Optional<DType> shortType(DType ofModel, Device device) {
        if (format == Format.FLOAT32 || ofModel != DType.FLOAT32 || rounds(ofModel, device)) {
            return Optional.empty();
        }
        if (format == Format.FP16) {
            return Optional.of(DType.FLOAT16);
        }
        if (!always && !device.hasBfloat16()) {
            if (!SAID.getAndSet(true)) {
                LOG.warn(
                        "this processor has no instructions for bf16 (AVX-512 BF16 or AMX), with which it would be slower"
                                + " than float32: computing in float32. precision: {type: bf16, always: true} computes in bf16 all"
                                + " the same, for the smaller activations");
            }
            return Optional.empty();
        }
        return Optional.of(DType.BFLOAT16);
    }

    /** Whether gradients may be too small for the format, so that losses are multiplied by a factor before the way back. */
    public boolean scalesLosses() {
        return format == Format.FP16;
    }

    /** Whether a model on a device rounds to fp16 what it multiplies in float32, because the device has no products of fp16. */
    boolean rounds(DType ofModel, Device device) {
        boolean rounds = format == Format.FP16 && ofModel == DType.FLOAT32 && device.equals(Device.CPU);
        if (rounds && !SAID_ROUNDING.getAndSet(true)) {
            LOG.warn(
                    "the processor has no products in fp16: values are rounded to fp16 and multiplied in float32, which shows"
                            + " what a graphics card would compute but is not faster; bf16 is for processors");
        }
        return rounds;
    }

    /** Leaves the precision out of what is written where it is the one that all files had before there was another. */
    public static final class LeftOut {
        @Override
        public boolean equals(Object value) {
            return FLOAT32.equals(value);
        }

        @Override
        public int hashCode() {
            return FLOAT32.hashCode();
        }
    }

    @Override
    public String toString() {
        return format + (always ? ", always" : "");
    }
}
