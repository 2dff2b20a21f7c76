package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.quantized.ActivationRange;
import java.util.Map;
import java.util.TreeMap;

/**
 * Watches what goes in and out of the layers of a model while batches run through it, and tells how it can be rounded to eight bits.
 *
 * <pre>{@code
 * Quantization found;
 * try (Calibration calibration = Calibration.of(model)) {
 *     model.predict(rows);                     // any number of batches, such as those it will be asked
 *     found = calibration.quantization();
 * }
 * }</pre>
 */
public final class Calibration implements AutoCloseable {
    private final ForwardContext.Mode mode;
    private final Map<String, LayerQuantization> layers = new TreeMap<>();

    private Calibration(ForwardContext.Mode mode) {
        this.mode = mode;
    }

    /** Begins to watch a model that computes in float32. */
    public static Calibration of(Model model) {
        return model.watched(Calibration::new);
    }

    void see(String path, Layer layer, Tensor input, Tensor output) {
        if (Quantization.isDynamic(layer) && input.type() == DType.FLOAT32) {
            layers.put(path, LayerQuantization.DYNAMIC);
        } else if (Quantization.isStatic(layer)) {
            ActivationRange in = range(input);
            ActivationRange out = range(output);
            if (layer.activation() == Activation.RELU) {
                out = out.rectified();
            }
            LayerQuantization before = layers.get(path);
            layers.put(
                    path,
                    before == null
                            ? new LayerQuantization(in, out)
                            : new LayerQuantization(
                                    before.input().with(in), before.output().with(out)));
        }
    }

    private static ActivationRange range(Tensor tensor) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor flat = tensor.detach().flatten(0);
            return new ActivationRange(-flat.mul(-1).max(0).item(), flat.max(0).item());
        }
    }

    /** What was found so far; nothing if no batch has run. */
    public Quantization quantization() {
        return new Quantization(layers);
    }

    /** Ends watching. */
    @Override
    public void close() {
        mode.calibration = null;
    }
}
