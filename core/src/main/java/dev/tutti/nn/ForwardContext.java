package dev.tutti.nn;

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
        final boolean optimised;
        boolean training;
        GradientTape tape; // of the pass under way; null where it is not recorded
        String line = ""; // the layer that all of the model's data flows through, at the moment; null in a branch
        Consumer<Tensor> batchSum;
        boolean divided; // batches are shares of larger ones
        final Randomness randomness = new Randomness(0);
        private long randomKey; // what the random numbers of the pass follow from, besides the layer that draws them
        private long restarts;

        Mode(boolean optimised) {
            this.optimised = optimised;
        }

        void restartRandomness(long... keys) {
            randomKey = Randomness.mix(keys);
            restarts++;
        }
    }

    private final String path;
    private final long pathKey;
    private final Layer layer;
    private final Mode mode;
    private final Map<String, Tensor> parameters = new LinkedHashMap<>();
    private final Map<String, Tensor> buffers = new LinkedHashMap<>();
    private final Map<String, ForwardContext> children = new LinkedHashMap<>();
    private final Map<Class<?>, AutoCloseable> resources = new HashMap<>();
    private long restart; // the restart of random numbers since which draws are counted
    private long draws;

    ForwardContext(Blueprint.Node node, FlatVector values, FlatVector state, boolean trainable, Mode mode) {
        path = node.path;
        pathKey = Randomness.mix(path.chars().asLongStream().toArray());
        layer = node.layer;
        this.mode = mode;
        node.parameters.forEach((name, p) -> parameters.put(
                name,
                (trainable
                                ? values.parameter(p.range(), p.shape(), p.layout())
                                : values.view(p.range(), p.shape(), p.layout()))
                        .retain()));
        node.buffers.forEach((name, b) ->
                buffers.put(name, state.view(b.range(), b.shape(), b.layout()).retain()));
        node.children.forEach(
                (name, child) -> children.put(name, new ForwardContext(child, values, state, trainable, mode)));
    }

    /** A parameter of this layer, by the name it was declared with. */
    public Tensor parameter(String name) {
        return found(parameters, name, "parameter");
    }

    /** The layer's own parameters, in the order they were declared. */
    public Collection<Tensor> parameters() {
        return parameters.values();
    }

    /** A buffer of this layer, by the name it was declared with. */
    public Tensor buffer(String name) {
        return found(buffers, name, "buffer");
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
        return child.with(onTheLine ? child.path : mode.line, () -> child.layer.forward(List.of(input), child));
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
        return canCut()
                && mode.tape.writesDirectly(
                        found(children, dense, "inner layer").parameter("weight"));
    }

    /** An inner dense layer with its activation, whose gradients go straight into the vector where that brings something. */
    Tensor dense(String name, Tensor input, Activation activation) {
        ForwardContext dense = found(children, name, "inner layer");
        boolean rectified = activation == Activation.RELU;
        Optional<Tensor> product = canCut(name)
                ? mode.tape.product(input, dense.parameter("weight"), dense.parameters.get("bias"), rectified)
                : Optional.empty();
        if (product.isEmpty()) {
            return dense.layer.activate(activation, dense.layer.forward(List.of(input), dense));
        }
        return rectified ? product.get() : activation.apply(product.get());
    }

    /** A stretch of inner layers whose gradients go straight into the vector; empty where that cannot be. */
    Optional<Tensor> cutStretch(List<FusionPlan.Step> stretch, Tensor x) {
        return canCut()
                ? mode.tape.chain(x, resource(ConvChains.class, ConvChains::new).of(stretch, children))
                : Optional.empty();
    }

    /** A tensor and what a branch makes of its rows, where {@link #canCut} said that it is worth it. */
    Tensor cutResidual(Tensor x, UnaryOperator<Tensor> branch) {
        return mode.tape.residual(x, branch);
    }

    List<Tensor> childAll(String name, List<Tensor> inputs) {
        return found(children, name, "inner layer").runAll(inputs);
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

    /** True while training: dropout drops and batch norm looks at the batch. */
    public boolean training() {
        return mode.training;
    }

    /** Adds up statistics with those of the other workers that share a batch; null when each looks at its own rows. */
    Consumer<Tensor> batchSum() {
        return mode.batchSum;
    }

    /** True when layers may take shortcuts that come to the same result. */
    boolean optimised() {
        return mode.optimised;
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
        return layer.activate(layer.activation(), layer.forward(inputs, this));
    }

    List<Tensor> runAll(List<Tensor> inputs) {
        return layer instanceof MultiOutput<?> multi
                ? multi.forwardAll(inputs, this).stream()
                        .map(layer.activation()::apply)
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
