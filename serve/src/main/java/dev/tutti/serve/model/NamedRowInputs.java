package dev.tutti.serve.model;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.transform.FittedTransform;
import dev.tutti.data.transform.NamedRowEncoder;
import dev.tutti.data.transform.SourceTransform;
import dev.tutti.data.transform.Transform;
import dev.tutti.serve.ServeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a model that was trained on a table makes of requests: rows with named columns become its inputs by the columns that were
 * saved with it, and outputs that are numbers are answered in the units of the label. Other models are left as they are.
 */
public final class NamedRowInputs {
    private final Optional<NamedRowEncoder> encoder;
    private final List<FittedTransform> fitted;
    private final List<Transform> behind;

    private NamedRowInputs(Optional<NamedRowEncoder> encoder, List<FittedTransform> fitted, List<Transform> behind) {
        this.encoder = encoder;
        this.fitted = fitted;
        this.behind = behind;
    }

    static NamedRowInputs of(List<Transform> transforms) {
        List<FittedTransform> fitted = transforms.stream()
                .filter(FittedTransform.class::isInstance)
                .map(FittedTransform.class::cast)
                .toList();
        return new NamedRowInputs(
                fitted.stream().flatMap(one -> one.namedRows().stream()).findFirst(),
                fitted,
                transforms.stream()
                        .filter(one -> !(one instanceof SourceTransform))
                        .toList());
    }

    /** The transforms that work on arrays. */
    List<Transform> behind() {
        return behind;
    }

    /** Whether the model takes rows with named columns. */
    public boolean exist() {
        return encoder.isPresent();
    }

    /** The columns of a row; none where rows have no names. */
    public List<String> columns() {
        return encoder.map(NamedRowEncoder::inputs).orElse(List.of());
    }

    /**
     * The arrays for some rows.
     *
     * @throws ServeException if a row has none of the columns, or a value that does not fit its column
     */
    public List<NdArray> inputs(List<Map<String, Object>> rows) {
        NamedRowEncoder known =
                encoder.orElseThrow(() -> ServeException.invalid("the model takes arrays, not rows with names"));
        for (int row = 0; row < rows.size(); row++) {
            if (rows.get(row).keySet().stream().noneMatch(known.inputs()::contains)) {
                throw ServeException.invalid(
                        "row " + row + " has none of the columns " + String.join(", ", known.inputs()) + ": received "
                                + rows.get(row).keySet());
            }
        }
        try {
            return known.features(rows).features();
        } catch (TuttiException e) {
            throw new ServeException(ServeException.Reason.INVALID, e.getMessage(), e);
        }
    }

    /** Outputs in the units of the label: numbers that were scaled to be learned are scaled back; classes stay as they are. */
    public List<NdArray> answers(List<NdArray> outputs, ClassNames classes) {
        if (fitted.isEmpty() || classes.exist()) {
            return outputs;
        }
        List<NdArray> answers = new ArrayList<>();
        for (NdArray output : outputs) {
            answers.add(output.type() == DType.FLOAT32 || output.type() == DType.FLOAT64 ? meant(output) : output);
        }
        return answers;
    }

    private NdArray meant(NdArray output) {
        double[] values = new double[output.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = output.at(i);
            for (FittedTransform transform : fitted) {
                values[i] = transform.meaning(values[i]);
            }
        }
        return NdArray.of(values, output.shape().toArray()).to(output.type());
    }
}
