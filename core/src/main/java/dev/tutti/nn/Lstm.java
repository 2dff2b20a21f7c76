package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Recurrence;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.quantized.Int8Recurrence;
import java.util.Collection;

/** Long short-term memory over {@code [time, features]}. */
public final class Lstm extends Recurrent<Lstm> {
    private Lstm() {
        this(0);
    }

    Lstm(int units) {
        super(4, units);
    }

    @Override
    Recurrence run(Tensor x, Tensor zeros, Collection<Tensor> weights, int layers, boolean bidirectional) {
        return Functions.lstm(x, zeros, zeros, weights, layers, bidirectional);
    }

    @Override
    Int8Recurrence.Kind kindOfCell() {
        return Int8Recurrence.Kind.LSTM;
    }

    @Override
    String call(String x, String zeros) {
        return "torch.lstm(" + x + ", [" + zeros + ", " + zeros + "]";
    }
}
