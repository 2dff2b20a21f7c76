package dev.tutti.nn;

import static dev.tutti.nn.Initializer.FAN_IN;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions.Recurrence;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.quantized.Int8Recurrence;
import dev.tutti.tensor.vector.ParameterLayout;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What recurrent layers have in common: they read {@code [time, features]} step by step, of any length, and give what they hold
 * after the last step, or with {@link #sequence()} after every step.
 *
 * <p>Parameters have PyTorch's names and order ({@code weight_ih_l0}, {@code weight_hh_l0}, {@code bias_ih_l0},
 * {@code bias_hh_l0}, then those ending in {@code _reverse}), so weights can be exchanged.
 *
 * @param <L> the kind of layer that settings return
 */
public abstract sealed class Recurrent<L extends Recurrent<L>> extends FluentLayer<L> permits Lstm, Gru {
    private final transient int gates;
    private int units;
    private int layers = 1;
    private boolean bidirectional;
    private boolean sequence;
    private Initializer init = FAN_IN;
    private Initializer recurrentInit = FAN_IN;

    Recurrent(int gates, int units) {
        this.gates = gates;
        this.units = units;
    }

    /** Gives the output of every step, {@code [time, units]}, not that of the last alone. */
    public L sequence() {
        return copy(c -> ((Recurrent<L>) c).sequence = true);
    }

    /** Also reads from the end to the beginning, and gives both results side by side: twice as many units. */
    public L bidirectional() {
        return copy(c -> ((Recurrent<L>) c).bidirectional = true);
    }

    /** Several on top of each other, each reading what the one below gives at every step. */
    public L layers(int count) {
        return copy(c -> ((Recurrent<L>) c).layers = count);
    }

    public L init(Initializer initializer) {
        return copy(c -> ((Recurrent<L>) c).init = initializer);
    }

    /** How the weights from step to step begin; {@link Initializer#ORTHOGONAL} is a frequent choice. */
    public L recurrentInit(Initializer initializer) {
        return copy(c -> ((Recurrent<L>) c).recurrentInit = initializer);
    }

    /** Runs the engine's own function, from a state of zeros. */
    abstract Recurrence run(Tensor x, Tensor zeros, Collection<Tensor> weights, int layers, boolean bidirectional);

    /** The function in TorchScript up to the weights, for an input and a state of zeros. */
    abstract String call(String x, String zeros);

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(units > 0, "needs units of at least 1, received " + units);
        build.require(layers > 0, "needs at least 1 layer, received " + layers);
        if (input.rank() != 2 || input.dim(1) == Shape.ANY) {
            throw build.expected("[time, features]", input);
        }
        long wide = (long) gates * units;
        for (int layer = 0; layer < layers; layer++) {
            long features = layer == 0 ? input.dim(1) : width();
            for (String end : endings(layer)) {
                build.parameter(
                        "weight_ih" + end,
                        Shape.of(wide, features),
                        init,
                        fan(init, features),
                        wide,
                        ParameterLayout.PLAIN);
                build.parameter(
                        "weight_hh" + end, Shape.of(wide, units), recurrentInit, units, wide, ParameterLayout.PLAIN);
                Initializer bias = init == FAN_IN ? FAN_IN : Initializer.ZEROS;
                build.parameter("bias_ih" + end, Shape.of(wide), bias, units, wide, ParameterLayout.PLAIN);
                build.parameter("bias_hh" + end, Shape.of(wide), bias, units, wide, ParameterLayout.PLAIN);
            }
        }
        return sequence ? input.with(1, width()) : Shape.of(width());
    }

    /** As in PyTorch, everything begins within one over the root of the units, the weights of the input too. */
    private long fan(Initializer initializer, long features) {
        return initializer == FAN_IN ? units : features;
    }

    /** What a cell in eight-bit integers remembers between steps. */
    abstract Int8Recurrence.Kind kindOfCell();

    private Recurrence run(Tensor x, ForwardContext pass) {
        return pass.int8()
                .map(parts -> parts.recurrence(
                                () -> new Int8Recurrence(kindOfCell(), List.copyOf(pass.parameters()), bidirectional))
                        .of(x))
                .orElseGet(() -> runInFloats(x, pass));
    }

    private Recurrence runInFloats(Tensor x, ForwardContext pass) {
        Tensor zeros = Tensor.zeros(Shape.of((long) layers * directions(), x.dim(0), units), x.type(), x.device());
        return run(x, zeros, pass.parameters(), layers, bidirectional);
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Recurrence out = run(x, pass);
        if (sequence) {
            return out.outputs();
        }
        // The last state, not the last output: its gradient skips the steps whose outputs are never read.
        return bidirectional
                ? out.last().narrow(0, 2L * (layers - 1), 2).transpose(0, 1).flatten(1)
                : out.last().select(0, -1);
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String x = in.get(0);
        String zeros = s.let("torch.zeros([" + layers * directions() + ", " + x + ".size(0), " + units + "], dtype=" + x
                + ".dtype, device=" + x + ".device)");
        List<String> weights = new ArrayList<>();
        for (int layer = 0; layer < layers; layer++) {
            for (String end : endings(layer)) {
                for (String name : List.of("weight_ih", "weight_hh", "bias_ih", "bias_hh")) {
                    weights.add(s.self(name + end));
                }
            }
        }
        String out = s.let(call(x, zeros) + ", " + weights + ", True, " + layers + ", 0.0, self.training, "
                + (bidirectional ? "True" : "False") + ", True)");
        if (sequence) {
            return s.let(out + "[0]");
        }
        return s.let(bidirectional ? out + "[1][-2:].transpose(0, 1).flatten(1)" : out + "[1][-1]");
    }

    private List<String> endings(int layer) {
        return bidirectional ? List.of("_l" + layer, "_l" + layer + "_reverse") : List.of("_l" + layer);
    }

    private int directions() {
        return bidirectional ? 2 : 1;
    }

    private long width() {
        return (long) directions() * units;
    }
}
