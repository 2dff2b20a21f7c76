package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Recurrence;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.quantized.Int8Recurrence;
import java.util.Collection;

/** Gated recurrent units over {@code [time, features]}. */
public final class Gru extends Recurrent<Gru> {
    private Gru() {
        this(0);
    }

    Gru(int units) {
        super(3, units);
    }

    @Override
    Recurrence run(Tensor x, Tensor zeros, Collection<Tensor> weights, int layers, boolean bidirectional) {
        return Functions.gru(x, zeros, weights, layers, bidirectional);
    }

    @Override
    Int8Recurrence.Kind kindOfCell() {
        return Int8Recurrence.Kind.GRU;
    }

    @Override
    String call(String x, String zeros) {
        return "torch.gru(" + x + ", " + zeros;
    }
}
