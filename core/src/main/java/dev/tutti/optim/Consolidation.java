package dev.tutti.optim;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.TuttiException;
import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Elastic weight consolidation (Kirkpatrick et al., 2017): what is learned pulls each parameter away from its earlier value the less, the
 * more important it was for what was learned before. The pull is part of the gradient.
 *
 * @param file a safetensors file with the numbers of each parameter in the order of the model's vector: {@code anchor/NAME}, its earlier
 *     values, and {@code importance/NAME}
 * @param strength how much it counts beside the loss
 */
public record Consolidation(String file, double strength) {
    /** What the names of earlier values begin with. */
    public static final String ANCHOR = "anchor/";

    /** What the names of importances begin with. */
    public static final String IMPORTANCE = "importance/";

    private static final int LENGTH_BYTES = 8;

    void validate() {
        if (file == null || !(strength >= 0) || Double.isInfinite(strength)) {
            throw new TuttiException("consolidation: expected a file and a strength of at least 0, received " + this);
        }
    }

    /** Earlier values and importances of a target's range; zeros where the file has nothing. The caller closes both. */
    Pull bind(Target target) {
        Range range = target.range();
        Tensor anchor = Tensor.zeros(
                        Shape.of(range.length()),
                        target.vector().type(),
                        target.vector().device())
                .retain();
        Tensor importance = Tensor.zeros(
                        Shape.of(range.length()),
                        target.vector().type(),
                        target.vector().device())
                .retain();
        try (FileChannel channel = FileChannel.open(Path.of(file));
                Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            long header = read(channel, 0, LENGTH_BYTES).getLong();
            JsonNode entries = Json.read(
                    StandardCharsets.UTF_8
                            .decode(read(channel, LENGTH_BYTES, Math.toIntExact(header)))
                            .toString(),
                    JsonNode.class,
                    file);
            if (!target.parameters().isEmpty()
                    && target.parameters().stream().noneMatch(each -> entries.has(ANCHOR + each.name()))) {
                throw new TuttiException("consolidation: " + file + " has no parameter of this model");
            }
            for (NamedRange parameter : target.parameters()) {
                Range common = range.intersect(parameter.range());
                if (!common.isEmpty() && entries.has(ANCHOR + parameter.name())) {
                    fill(
                            channel,
                            LENGTH_BYTES + header,
                            entries.get(ANCHOR + parameter.name()),
                            parameter,
                            range,
                            anchor);
                    JsonNode important = entries.path(IMPORTANCE + parameter.name());
                    fill(channel, LENGTH_BYTES + header, important, parameter, range, importance);
                }
            }
        } catch (IOException | RuntimeException e) {
            anchor.close();
            importance.close();
            throw e instanceof TuttiException known
                    ? known
                    : new TuttiException("consolidation: " + file + " cannot be read: " + e.getMessage(), e);
        }
        return new Pull(anchor, importance, strength);
    }

    private void fill(FileChannel channel, long data, JsonNode entry, NamedRange parameter, Range range, Tensor into)
            throws IOException {
        Range common = range.intersect(parameter.range());
        long from = entry.path("data_offsets").path(0).asLong();
        long count = (entry.path("data_offsets").path(1).asLong() - from) / Float.BYTES;
        if (count != parameter.range().length() || !entry.path("dtype").asText().equals("F32")) {
            throw new TuttiException("consolidation: " + file + " has " + count + " numbers of "
                    + entry.path("dtype").asText("no type") + " for " + parameter.name() + ": expected "
                    + parameter.range().length()
                    + " of F32; strategies that cut parameters in pieces, such as parameter servers, cannot use it");
        }
        long skip = common.from() - parameter.range().from();
        float[] values = new float[Math.toIntExact(common.length())];
        read(channel, data + from + skip * Float.BYTES, values.length * Float.BYTES)
                .asFloatBuffer()
                .get(values);
        Tensor read = Tensor.of(values, values.length).to(into.type());
        into.narrow(0, common.from() - range.from(), common.length()).copy_(read);
    }

    private static ByteBuffer read(FileChannel channel, long at, int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, at + bytes.position()) < 0) {
                throw new IOException("it ends early");
            }
        }
        return bytes.flip();
    }

    /** Where parameters are pulled to, and how much. */
    record Pull(Tensor anchor, Tensor importance, double strength) {
        /** Adds to the gradients of a slice what pulls it back. */
        void addTo(ParameterSlice slice) {
            try (Scope scope = Scope.open()) {
                Tensor away = slice.values().sub(slice.of(anchor));
                slice.gradients().addcmul_(away, slice.of(importance), strength);
            }
        }

        void close() {
            anchor.close();
            importance.close();
        }
    }
}
