package dev.tutti.tensor.quantized;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions.Recurrence;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A recurrent network whose products are of eight-bit integers, step by step. */
public final class Int8Recurrence implements AutoCloseable {
    /** What a cell remembers between steps. */
    public enum Kind {
        LSTM,
        GRU
    }

    private final Kind kind;
    private final int directions;
    private final long units;
    private final List<Int8Cell> cells = new ArrayList<>();

    /**
     * @param weights input, recurrent, input bias, recurrent bias, for each direction of each layer
     */
    public Int8Recurrence(Kind kind, List<Tensor> weights, boolean bidirectional) {
        this.kind = kind;
        this.directions = bidirectional ? 2 : 1;
        this.units = weights.get(1).dim(1);
        for (int i = 0; i < weights.size(); i += 4) {
            cells.add(new Int8Cell(weights.get(i), weights.get(i + 1), weights.get(i + 2), weights.get(i + 3)));
        }
    }

    /** @param x {@code [batch, time, features]} */
    public Recurrence of(Tensor x) {
        Tensor below = x;
        List<Tensor> last = new ArrayList<>();
        for (int layer = 0; layer < cells.size() / directions; layer++) {
            List<Tensor> sides = new ArrayList<>();
            for (int direction = 0; direction < directions; direction++) {
                sides.add(read(below, cells.get(layer * directions + direction), direction == 1, last));
            }
            below = directions == 1 ? sides.get(0) : Tensor.concat(sides, 2);
        }
        return new Recurrence(below, Tensor.stack(last, 0));
    }

    private Tensor read(Tensor x, Int8Cell cell, boolean backwards, List<Tensor> last) {
        Tensor hidden = Tensor.zeros(Shape.of(x.dim(0), units), x.type());
        Tensor memory = hidden;
        List<Tensor> outputs = new ArrayList<>();
        long steps = x.dim(1);
        for (long i = 0; i < steps; i++) {
            Tensor step = x.select(1, backwards ? steps - 1 - i : i);
            if (kind == Kind.LSTM) {
                List<Tensor> next = cell.lstm(step, hidden, memory);
                hidden = next.get(0);
                memory = next.get(1);
            } else {
                hidden = cell.gru(step, hidden);
            }
            outputs.add(hidden);
        }
        last.add(hidden);
        if (backwards) {
            Collections.reverse(outputs);
        }
        return Tensor.stack(outputs, 1);
    }

    @Override
    public void close() {
        cells.forEach(Int8Cell::close);
    }
}
