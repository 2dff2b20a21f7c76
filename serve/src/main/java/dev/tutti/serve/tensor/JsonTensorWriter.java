package dev.tutti.serve.tensor;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import java.io.IOException;

/** Writes tensors as JSON: flat, or nested by their shape. */
public final class JsonTensorWriter {
    /** How numbers are written that JSON has no word for: NaN and the infinities. */
    public enum NonFinite {
        /** As {@code null}, which every JSON reader takes. */
        AS_NULL,
        /** As {@code NaN}, {@code Infinity} and {@code -Infinity}, as TensorFlow Serving does. */
        AS_WORDS
    }

    private final JsonGenerator out;
    private final NonFinite nonFinite;

    public JsonTensorWriter(JsonGenerator out, NonFinite nonFinite) {
        this.out = out;
        this.nonFinite = nonFinite;
    }

    /** All elements in one list. */
    public void flat(NdArray array) throws IOException {
        out.writeStartArray();
        for (int i = 0; i < array.size(); i++) {
            element(array, i);
        }
        out.writeEndArray();
    }

    /** The whole array, nested. */
    public void nested(NdArray array) throws IOException {
        nested(array, array.shape(), 0, 0);
    }

    /** One row of the first axis, nested. */
    public void row(NdArray array, int row) throws IOException {
        Shape shape = array.shape();
        nested(array, shape, 1, Math.toIntExact(row * shape.from(1).size()));
    }

    private void nested(NdArray array, Shape shape, int axis, int offset) throws IOException {
        if (axis == shape.rank()) {
            element(array, offset);
            return;
        }
        int count = Math.toIntExact(shape.dim(axis));
        int stride = Math.toIntExact(shape.from(axis + 1).size());
        out.writeStartArray();
        for (int i = 0; i < count; i++) {
            nested(array, shape, axis + 1, offset + i * stride);
        }
        out.writeEndArray();
    }

    private void element(NdArray array, int index) throws IOException {
        switch (array.type()) {
            case FLOAT32 -> {
                float value = array.floats()[index];
                if (Float.isFinite(value)) {
                    out.writeNumber(value);
                } else {
                    special(value);
                }
            }
            case FLOAT64 -> {
                double value = array.doubles()[index];
                if (Double.isFinite(value)) {
                    out.writeNumber(value);
                } else {
                    special(value);
                }
            }
            case BOOL -> out.writeBoolean(array.booleans()[index]);
            default -> out.writeNumber(array.longAt(index));
        }
    }

    private void special(double value) throws IOException {
        if (nonFinite == NonFinite.AS_NULL) {
            out.writeNull();
        } else {
            out.writeRawValue(Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        }
    }

    /** Whether all elements can be written as plain JSON. */
    public static boolean isFinite(NdArray array) {
        if (array.type() != DType.FLOAT32 && array.type() != DType.FLOAT64) {
            return true;
        }
        for (int i = 0; i < array.size(); i++) {
            if (!Double.isFinite(array.at(i))) {
                return false;
            }
        }
        return true;
    }
}
