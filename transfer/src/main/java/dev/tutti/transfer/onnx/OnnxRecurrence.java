package dev.tutti.transfer.onnx;

import static dev.tutti.transfer.onnx.OnnxNodes.attribute;

import java.util.ArrayList;
import java.util.List;

/**
 * LSTM and GRU as nodes, one for each layer. The gates stand in another order there: torch has input, forget, cell, output and reset,
 * update, new; ONNX has input, output, forget, cell and update, reset, new.
 */
final class OnnxRecurrence {
    private static final int[] LSTM_ORDER = {0, 3, 1, 2};
    private static final int[] GRU_ORDER = {1, 0, 2};
    private static final int PER_DIRECTION = 4; // two weights and two biases

    private final OnnxNodes nodes;
    private final boolean lstm;

    OnnxRecurrence(OnnxNodes nodes, String function) {
        this.nodes = nodes;
        this.lstm = function.equals("lstm");
    }

    /** The outputs of every step {@code [batch, time, width]}, and the last state {@code [directions, batch, units]}. */
    List<Object> call(List<Object> arguments) {
        OnnxFunctions.Arguments a = new OnnxFunctions.Arguments(arguments);
        OnnxValue x = a.tensor(0);
        List<OnnxValue> weights = new ArrayList<>();
        for (Object weight : a.list(2)) {
            if (!(weight instanceof OnnxValue value)) {
                throw new IllegalArgumentException("a recurrent layer without biases");
            }
            weights.add(value);
        }
        int layers = (int) a.whole(4);
        int directions = a.isTrue(7) ? 2 : 1;
        long batch = x.dims()[0];
        long time = x.dims()[1];
        OnnxValue sequence = nodes.add(
                "Transpose", new long[] {time, batch, x.dims()[2]}, List.of(x), attribute("perm", new long[] {1, 0, 2
                }));
        OnnxValue state = null;
        for (int layer = 0; layer < layers; layer++) {
            List<OnnxValue> own =
                    weights.subList(layer * directions * PER_DIRECTION, (layer + 1) * directions * PER_DIRECTION);
            long units = own.get(1).dims()[1];
            List<OnnxValue> inputs =
                    List.of(sequence, joined(own, 0, directions), joined(own, 1, directions), biases(own, directions));
            String all = nodes.fresh("sequence");
            String last = nodes.fresh("state");
            nodes.add(
                    lstm ? "LSTM" : "GRU",
                    inputs,
                    List.of(all, last),
                    attribute("hidden_size", units),
                    attribute("direction", directions == 2 ? "bidirectional" : "forward"),
                    attribute(lstm ? "input_forget" : "linear_before_reset", lstm ? 0L : 1L));
            OnnxValue steps = new OnnxValue(all, new long[] {time, directions, batch, units});
            state = new OnnxValue(last, new long[] {directions, batch, units});
            OnnxValue beside = nodes.add(
                    "Transpose",
                    new long[] {time, batch, directions, units},
                    List.of(steps),
                    attribute("perm", new long[] {0, 2, 1, 3}));
            sequence = nodes.add(
                    "Reshape", new long[] {time, batch, directions * units}, List.of(beside, nodes.longs(0, 0, -1)));
        }
        OnnxValue out = nodes.add(
                "Transpose",
                new long[] {batch, time, sequence.dims()[2]},
                List.of(sequence),
                attribute("perm", new long[] {1, 0, 2}));
        return List.of(out, state);
    }

    /** One of the weights of each direction, with its gates in the order of ONNX: {@code [directions, gates * units, ...]}. */
    private OnnxValue joined(List<OnnxValue> weights, int which, int directions) {
        List<OnnxValue> each = new ArrayList<>();
        for (int d = 0; d < directions; d++) {
            each.add(stacked(ordered(weights.get(d * PER_DIRECTION + which))));
        }
        return concat(each, 0);
    }

    private OnnxValue biases(List<OnnxValue> weights, int directions) {
        List<OnnxValue> each = new ArrayList<>();
        for (int d = 0; d < directions; d++) {
            OnnxValue input = ordered(weights.get(d * PER_DIRECTION + 2));
            OnnxValue hidden = ordered(weights.get(d * PER_DIRECTION + 3));
            each.add(stacked(concat(List.of(input, hidden), 0)));
        }
        return concat(each, 0);
    }

    private OnnxValue ordered(OnnxValue weight) {
        int[] order = lstm ? LSTM_ORDER : GRU_ORDER;
        long units = weight.dims()[0] / order.length;
        long[] dims = weight.dims().clone();
        dims[0] = units;
        List<OnnxValue> gates = new ArrayList<>();
        for (int gate : order) {
            gates.add(nodes.add(
                    "Slice",
                    dims,
                    List.of(weight, nodes.longs(gate * units), nodes.longs((gate + 1) * units), nodes.longs(0))));
        }
        return concat(gates, 0);
    }

    private OnnxValue stacked(OnnxValue one) {
        long[] dims = new long[one.rank() + 1];
        dims[0] = 1;
        System.arraycopy(one.dims(), 0, dims, 1, one.rank());
        return nodes.add("Unsqueeze", dims, List.of(one, nodes.longs(0)));
    }

    private OnnxValue concat(List<OnnxValue> parts, int axis) {
        if (parts.size() == 1) {
            return parts.get(0);
        }
        long[] dims = parts.get(0).dims().clone();
        dims[axis] = parts.stream().mapToLong(part -> part.dims()[axis]).sum();
        return nodes.add("Concat", dims, parts, attribute("axis", (long) axis));
    }
}
