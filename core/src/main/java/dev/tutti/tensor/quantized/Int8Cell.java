package dev.tutti.tensor.quantized;

import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.OperatorHandle;

/** A step of a recurrent layer in one direction, its products in eight-bit integers. */
public final class Int8Cell implements AutoCloseable {
    private static final OperatorHandle PACK = QuantizedOperators.find("quantized::linear_prepack", "");
    private static final OperatorHandle LSTM = QuantizedOperators.find("quantized::quantized_lstm_cell_dynamic", "");
    private static final OperatorHandle GRU = QuantizedOperators.find("quantized::quantized_gru_cell_dynamic", "");

    private final IValue inputWeight;
    private final IValue stateWeight;
    private final IValue inputBias;
    private final IValue stateBias;
    private final Tensor heldInputBias;
    private final Tensor heldStateBias;

    public Int8Cell(Tensor inputWeight, Tensor stateWeight, Tensor inputBias, Tensor stateBias) {
        heldInputBias = inputBias.detach().retain();
        heldStateBias = stateBias.detach().retain();
        try (Scope scope = Scope.open()) {
            this.inputWeight = kept(packed(inputWeight, inputBias));
            this.stateWeight = kept(packed(stateWeight, stateBias));
            this.inputBias = kept(new IValue(heldInputBias.handle()));
            this.stateBias = kept(new IValue(heldStateBias.handle()));
        }
    }

    private static IValue packed(Tensor weight, Tensor bias) {
        return QuantizedOperators.call(PACK, QuantizedOperators.rounded(weight), QuantizedOperators.optional(bias))
                .get(0);
    }

    private static IValue kept(IValue value) {
        value.retainReference();
        return value;
    }

    /** The next hidden state and the next cell state of a long short-term memory. */
    public List<Tensor> lstm(Tensor x, Tensor hidden, Tensor cell) {
        List<IValue> next = QuantizedOperators.call(
                LSTM,
                QuantizedOperators.input(x),
                QuantizedOperators.tensors(List.of(hidden, cell)),
                inputWeight,
                stateWeight,
                inputBias,
                stateBias);
        return List.of(QuantizedOperators.tensor(next.get(0)), QuantizedOperators.tensor(next.get(1)));
    }

    /** The next hidden state of a gated recurrent unit. */
    public Tensor gru(Tensor x, Tensor hidden) {
        return QuantizedOperators.tensor(QuantizedOperators.call(
                        GRU,
                        QuantizedOperators.input(x),
                        new IValue(hidden.handle()),
                        inputWeight,
                        stateWeight,
                        inputBias,
                        stateBias)
                .get(0));
    }

    @Override
    public void close() {
        List.of(inputWeight, stateWeight, inputBias, stateBias).forEach(IValue::releaseReference);
        heldInputBias.close();
        heldStateBias.close();
    }
}
