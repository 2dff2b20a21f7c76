package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.table.RowSource;
import dev.tutti.table.TableSpec;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.GradientTape;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** What a layer talks to while it computes: its own parameters, buffers and inner layers of one worker's model. */
public final class ForwardContext {
    /** What all layers of one model share during a pass. */
    static final class Mode {
        final Model.Options options;
        final boolean optimised;
        final DType shortType; // what layers that multiply compute in; null where that is the model's type
        final boolean rounds; // what is multiplied in float32 is rounded to fp16 before
        long passes; // how many have begun: copies of parameters in the short type are of one pass
        boolean training;
        GradientTape tape; // of the pass under way; null where it is not recorded
        String line = ""; // the layer that all of the model's data flows through, at the moment; null in a branch
        Consumer<Tensor> batchSum;
        RowSource rows; // of all tables
        List<TouchedRows> touched; // of the pass under way; null where it is not recorded
        Consumer<Tensor>
                tensorSum; // over the members that hold the other slices of parameters; null where there are none
        final Map<Range, Tensor> parameters = new HashMap<>(); // layers may share one
        boolean divided; // batches are shares of larger ones
        KeyValueCache cache; // of the sequences of the pass under way; null where they are whole
        Calibration calibration; // watches the layers; null where none does
        final Randomness randomness = new Randomness(0);
        private long randomKey; // what the random numbers of the pass follow from, besides the layer that draws them
        private long restarts;

        Mode(Model.Options options) {
            this.options = options;
            this.rounds = options.precision().rounds(options.type(), options.device());
            this.optimised = options.optimised() && !rounds;
            this.shortType = options.precision()
                    .shortType(options.type(), options.device())
                    .orElse(null);
        }

        void restartRandomness(long... keys) {
            randomKey = Randomness.mix(keys);
            restarts++;
        }
    }

    private final String path;
    private final long pathKey;
    private final TableSpec table; // null where the layer has none
    private final Layer layer;
    private final Mode mode;
    private final Map<String, Tensor> parameters = new LinkedHashMap<>();
    private final Map<String, Tensor> copies = new LinkedHashMap<>(); // of parameters, in the short type
    private final LayerPrecision precision;
    private final Int8Parts int8; // null where the layer computes in floats
    private long copied; // the pass that the copies are of
    private final Map<String, Tensor> buffers = new LinkedHashMap<>();
    private final Map<String, ForwardContext> children = new LinkedHashMap<>();
    private final Map<Class<?>, AutoCloseable> resources = new HashMap<>();
    private long restart; // the restart of random numbers since which draws are counted
    private long draws;

    ForwardContext(Blueprint.Node node, FlatVector values, FlatVector state, boolean trainable, Mode mode) {
        path = node.path;
        pathKey = Randomness.mix(path.chars().asLongStream().toArray());
        layer = node.layer;
        precision = LayerPrecision.of(layer);
        table = node.table;
        this.mode = mode;
        LayerQuantization rounded = mode.options.quantization().layers().get(path);
        int8 = rounded == null ? null : new Int8Parts(rounded);
        node.parameters.forEach((name, p) -> parameters.put(
                name,
                mode.parameters.computeIfAbsent(
                        p.range(),
                        range -> (trainable
                                        ? values.parameter(range, p.shape(), p.layout())
                                        : values.view(range, p.shape(), p.layout()))
                                .retain())));
        node.buffers.forEach((name, b) ->
                buffers.put(name, state.view(b.range(), b.shape(), b.layout()).retain()));
        node.children.forEach(
                (name, child) -> children.put(name, new ForwardContext(child, values, state, trainable, mode)));
    }

    /** A parameter of this layer, by the name it was declared with; in the type that the layer computes in. */
    public Tensor parameter(String name) {
        Tensor parameter = held(name);
        return isShort() ? copy(name, parameter) : parameter;
    }

    /** The layer's own parameters, in the order they were declared; in the type that the layer computes in. */
    public Collection<Tensor> parameters() {
        return isShort() ? parameters.keySet().stream().map(this::parameter).toList() : parameters.values();
    }

    /** A parameter as it is held in the vector. */
    Tensor held(String name) {
        return found(parameters, name, "parameter");
    }

    /** Null where the layer has none of that name. */
    Tensor heldOrNull(String name) {
        return parameters.get(name);
    }

    private boolean isShort() {
        return (mode.shortType != null || mode.rounds) && precision == LayerPrecision.SHORT;
    }

    /** A value in the type that layers that multiply compute in, or rounded where that is float32. */
    private Tensor shortened(Tensor x) {
        return mode.rounds ? LayerPrecision.rounded(x) : x.to(mode.shortType);
    }

    /** Made once for each pass; a model for inference, whose values do not change, keeps it. */
    private Tensor copy(String name, Tensor parameter) {
        boolean kept = mode.options.inference();
        if (!kept && copied != mode.passes) {
            copies.clear();
            copied = mode.passes;
        }
        return copies.computeIfAbsent(name, n -> {
            Tensor made = shortened(parameter);
            return kept ? made.retain() : made;
        });
    }

    /** Forgets copies of parameters that are no longer what they were made of. */
    void dropCopies() {
        if (mode.options.inference()) {
            copies.values().forEach(Tensor::close);
        }
        copies.clear();
        if (int8 != null) {
            int8.close();
        }
        children.values().forEach(ForwardContext::dropCopies);
    }

    /** A factor of a product in the type that layers that multiply compute in. */
    Tensor factor(Tensor x) {
        if (mode.rounds) {
            return LayerPrecision.rounded(x);
        }
        return mode.shortType == null ? x : LayerPrecision.to(x, mode.shortType);
    }

    /**
     * What attention compares and sums, in the type that it does so in. The engine's attention for processors takes several times as long
     * in bfloat16 as in float32, so there it computes in float32 between products in bfloat16.
     */
    Tensor attended(Tensor x) {
        boolean widens = mode.shortType != null && mode.options.device().equals(Device.CPU);
        return widens ? LayerPrecision.to(x, DType.FLOAT32) : x;
    }

    /** Whether layers that multiply compute in a shorter type than the model's. */
    boolean multipliesShort() {
        return mode.shortType != null;
    }

    /** The type that layers that multiply compute in. */
    DType multipliedType() {
        return mode.shortType == null ? mode.options.type() : mode.shortType;
    }

    private Tensor compute(List<Tensor> inputs) {
        boolean rounded = mode.rounds && precision == LayerPrecision.SHORT;
        List<Tensor> taken = rounded
                ? inputs.stream().map(LayerPrecision::rounded).toList()
                : mode.shortType == null ? inputs : precision.typed(inputs, mode.shortType);
        Tensor output = layer.forward(taken, this);
        if (rounded) {
            output = LayerPrecision.rounded(output);
        }
        if (mode.calibration != null) {
            mode.calibration.see(path, layer, inputs.get(0), output);
        }
        return output;
    }

    /** The layer's weights in eight bits; empty where it computes in floats. */
    Optional<Int8Parts> int8() {
        return Optional.ofNullable(int8);
    }

    /**
     * {@code x · weightᵀ + bias}; in eight-bit integers where the layer is quantized.
     *
     * @param name tells the products of one layer apart
     * @param bias may be null
     */
    Tensor product(String name, Tensor x, Tensor weight, Tensor bias) {
        return int8 == null ? Functions.linear(x, weight, bias) : int8.product(name, x, weight, bias);
    }

    /** What an activation is applied to: softmax and its like get float32. */
    private Tensor activate(Activation function, Tensor output) {
        boolean widened = mode.shortType != null && !function.isSafeInShortTypes();
        return layer.activate(function, widened ? LayerPrecision.to(output, DType.FLOAT32) : output);
    }

    /** Runs an inner layer that all of this layer's data flows through, with another activation than its own. */
    Tensor childOnTheLine(String name, Tensor input, Activation activation) {
        Tensor output = childOnTheLine(name, input);
        return found(children, name, "inner layer").activate(activation, output);
    }

    /** A buffer of this layer, by the name it was declared with. */
    public Tensor buffer(String name) {
        return found(buffers, name, "buffer");
    }

    /**
     * The rows of the layer's table.
     *
     * @param ids of which none comes twice
     */
    Tensor rows(long[] ids) {
        Model.Options options = mode.options;
        float[] values = mode.rows.read(ModelPlan.seeded(table, options), ids);
        Tensor rows = Tensor.of(NdArray.of(values, ids.length, table.width()), options.device())
                .to(options.type());
        if (mode.touched != null) {
            rows = rows.detach().requiresGradient(true);
            mode.touched.add(new TouchedRows(table, ids, rows));
        }
        return rows;
    }

    /** Rows of a table that a recorded pass has used: their gradients are there after the way back. */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    record TouchedRows(TableSpec table, long[] ids, Tensor rows) {}

    /** How the model was made. */
    Model.Options options() {
        return mode.options;
    }

    /** Runs an inner layer. */
    public Tensor child(String name, Tensor... inputs) {
        return found(children, name, "inner layer").run(List.of(inputs));
    }

    /** Runs an inner layer. */
    public Tensor child(String name, List<Tensor> inputs) {
        return found(children, name, "inner layer").run(inputs);
    }

    /** Runs an inner layer that all of this layer's data flows through, without its activation. */
    Tensor childOnTheLine(String name, Tensor input) {
        ForwardContext child = found(children, name, "inner layer");
        boolean onTheLine = path.equals(mode.line);
        return child.with(onTheLine ? child.path : mode.line, () -> child.compute(List.of(input)));
    }

    /** Runs a part that not all of the layer's data flows through. */
    Tensor aside(Supplier<Tensor> part) {
        return with(path.equals(mode.line) ? null : mode.line, part);
    }

    private Tensor with(String line, Supplier<Tensor> part) {
        String before = mode.line;
        mode.line = line;
        try {
            return part.get();
        } finally {
            mode.line = before;
        }
    }

    /** Whether gradients of inner layers can go straight into the vector. */
    private boolean canCut() {
        return mode.optimised && mode.tape != null && path.equals(mode.line);
    }

    /** Whether the gradients of an inner dense layer can go straight into the vector. */
    boolean canCut(String dense) {
        ForwardContext inner = found(children, dense, "inner layer");
        return canCut()
                && !(inner.layer instanceof Dense layer && layer.hasAdapter())
                && mode.tape.writesDirectly(inner.held("weight"));
    }

    /** An inner dense layer with its activation, whose gradients go straight into the vector where that brings something. */
    Tensor dense(String name, Tensor input, Activation activation) {
        ForwardContext dense = found(children, name, "inner layer");
        boolean rectified = activation == Activation.RELU;
        Optional<Tensor> product = canCut(name)
                ? mode.tape.product(input, dense.held("weight"), dense.heldOrNull("bias"), rectified, multipliedType())
                : Optional.empty();
        if (product.isEmpty()) {
            return dense.activate(activation, dense.compute(List.of(input)));
        }
        return rectified ? product.get() : dense.activate(activation, product.get());
    }

    /** A chain of inner layers whose gradients go straight into the vector; empty where that cannot be. */
    Optional<Tensor> cutChain(List<FusionPlan.Step> chain, Tensor x) {
        return canCut()
                ? mode.tape.chain(
                        x,
                        resource(ConvChains.class, () -> new ConvChains(multipliedType()))
                                .of(chain, children))
                : Optional.empty();
    }

    /** A tensor and what a branch makes of its rows, where {@link #canCut} said that it is worth it. */
    Tensor cutResidual(Tensor x, UnaryOperator<Tensor> branch) {
        return mode.tape.residual(x, branch);
    }

    List<Tensor> childAll(String name, List<Tensor> inputs) {
        return found(children, name, "inner layer").runAll(inputs);
    }

    /** A parameter of an inner layer, for layers that share one. */
    Tensor childParameter(String child, String name) {
        return found(children, child, "inner layer").held(name);
    }

    /** The layer's full name, for error messages. */
    public String path() {
        return path.isEmpty() ? layer.kind() : path;
    }

    /**
     * What the layer needs besides tensors and cannot share between workers: made when first asked for, one for each worker,
     * and closed with the model.
     */
    public <T extends AutoCloseable> T resource(Class<T> type, Supplier<T> maker) {
        return type.cast(resources.computeIfAbsent(type, t -> maker.get()));
    }

    /** True where a batch may be a small share of what all workers look at. */
    boolean divided() {
        return mode.divided;
    }

    /** The type that the model computes in. */
    public DType type() {
        return mode.options.type();
    }

    /** True while training: dropout drops and batch norm looks at the batch. */
    public boolean training() {
        return mode.training;
    }

    /** True when the layer has parameters and all of them are frozen: then its running statistics stand still too. */
    boolean isFrozen() {
        return !parameters.isEmpty() && parameters.values().stream().noneMatch(Tensor::requiresGradient);
    }

    /** Adds up statistics with those of the other workers that share a batch; null when each looks at its own rows. */
    Consumer<Tensor> batchSum() {
        return mode.batchSum;
    }

    /**
     * The sum of what each member that holds a slice of this layer has computed, the same bits on all of them. Its gradient is that of each
     * summand.
     *
     * @param own fresh memory that no backward pass reads; it is overwritten
     */
    Tensor sumOfSlices(Tensor own) {
        if (mode.tensorSum == null) {
            return own;
        }
        try (NoGradients off = NoGradients.begin()) {
            Tensor values = own.detach();
            if (values.isContiguous()) {
                mode.tensorSum.accept(values);
            } else {
                Tensor copy = values.contiguous();
                mode.tensorSum.accept(copy);
                values.copy_(copy);
            }
        }
        return own;
    }

    /** What all members that hold slices of this layer receive: the gradients that they have of it are summed on the way back. */
    Tensor sharedBySlices(Tensor x) {
        return mode.tensorSum == null ? x : Functions.sharedGradient(x, mode.tensorSum);
    }

    /** What attention has computed of earlier steps; null where all steps are in the pass. */
    KeyValueCache cache() {
        return mode.cache;
    }

    /** The context of an inner layer. */
    ForwardContext inner(String name) {
        return found(children, name, "inner layer");
    }

    /** True when layers may take shortcuts that come to the same result; they pass over what calibration and eight-bit layers look at. */
    boolean optimised() {
        return mode.optimised
                && mode.calibration == null
                && mode.options.quantization().isNone();
    }

    /**
     * Random numbers that follow from those {@link Model#restartRandomness} was given, from the layer's full name, and from how often
     * the layer has asked since: so a part of a model draws what the whole would. In use until any layer asks again.
     */
    public Randomness randomness() {
        if (restart != mode.restarts) {
            restart = mode.restarts;
            draws = 0;
        }
        mode.randomness.restart(mode.randomKey, pathKey, draws++);
        return mode.randomness;
    }

    Tensor run(List<Tensor> inputs) {
        return activate(layer.activation(), compute(inputs));
    }

    List<Tensor> runAll(List<Tensor> inputs) {
        return layer instanceof MultiOutput<?> multi
                ? multi.forwardAll(inputs, this).stream()
                        .map(output -> activate(layer.activation(), output))
                        .toList()
                : List.of(run(inputs));
    }

    void initialise() {
        layer.initialise(this);
        children.values().forEach(ForwardContext::initialise);
    }

    void freeze(String parameterPrefix, boolean frozen) {
        parameters.forEach((name, tensor) -> {
            String qualified = path.isEmpty() ? name : path + "." + name;
            if (Model.matches(qualified, parameterPrefix)) {
                tensor.requiresGradient(!frozen);
            }
        });
        children.values().forEach(child -> child.freeze(parameterPrefix, frozen));
    }

    void close() {
        if (int8 != null) {
            int8.close();
        }
        if (mode.options.inference()) {
            copies.values().forEach(Tensor::close);
        }
        parameters.values().forEach(Tensor::close);
        buffers.values().forEach(Tensor::close);
        children.values().forEach(ForwardContext::close);
        resources.values().forEach(this::close);
    }

    private void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            throw new IllegalStateException("layer " + path + " could not close its " + resource, e);
        }
    }

    private <T> T found(Map<String, T> map, String name, String what) {
        T value = map.get(name);
        if (value == null) {
            throw new IllegalArgumentException("layer " + path + " has no " + what + " '" + name + "': it declared "
                    + (map.isEmpty() ? "none" : String.join(", ", map.keySet())));
        }
        return value;
    }
}
