package dev.tutti.nn;

import dev.tutti.DidYouMean;
import dev.tutti.NamePattern;
import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.table.RowGradients;
import dev.tutti.table.RowSource;
import dev.tutti.table.TableStore;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.GradientTape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A definition built for its inputs: all parameters in one vector, all gradients in a second, running statistics in a third.
 *
 * <p>A model belongs to one thread at a time. Workers of one JVM each take a {@link #replica()}: they share the parameters and
 * have gradients of their own.
 */
public final class Model implements AutoCloseable {
    /**
     * How a model is made.
     *
     * @param seed what its parameters are drawn by
     * @param type the type they have
     * @param device where they live
     * @param optimised whether layers may take shortcuts that come to the same result
     * @param inference whether the model is for predictions alone and carries no gradients
     * @param precision what layers multiply in
     * @param quantization which layers answer in eight-bit integers
     */
    public record Options(
            long seed,
            DType type,
            Device device,
            boolean optimised,
            boolean inference,
            ComputePrecision precision,
            Quantization quantization) {
        public static final Options DEFAULT =
                new Options(0, DType.FLOAT32, Device.CPU, true, false, ComputePrecision.FLOAT32, Quantization.NONE);

        public Options {
            if (!type.isOfArrays()) {
                throw new IllegalArgumentException(
                        "models compute in float32 or float64: " + type + " is for what travels between members");
            }
            boolean plain = inference
                    && type == DType.FLOAT32
                    && device.equals(Device.CPU)
                    && precision.format() == ComputePrecision.Format.FLOAT32;
            if (!quantization.isNone() && !plain) {
                throw new TuttiException("a quantized model answers in eight-bit integers on the processor: expected a"
                        + " model for inference in float32 on cpu, received " + type + " on " + device
                        + (inference ? "" : " for training") + " with precision " + precision);
            }
        }

        public Options seed(long newSeed) {
            return new Options(newSeed, type, device, optimised, inference, precision, quantization);
        }

        public Options type(DType newType) {
            return new Options(seed, newType, device, optimised, inference, precision, quantization);
        }

        public Options device(Device newDevice) {
            return new Options(seed, type, newDevice, optimised, inference, precision, quantization);
        }

        /** Computes every layer just as it is written: slower, to check the shortcuts against. */
        public Options asWritten() {
            return new Options(seed, type, device, false, inference, precision, quantization);
        }

        /** Carries no gradients, which is half the memory: the model predicts, and refuses to record. */
        public Options forInference() {
            return new Options(seed, type, device, optimised, true, precision, quantization);
        }

        /** Lets layers answer in eight-bit integers; for a model that is for inference. */
        public Options quantization(Quantization choice) {
            return new Options(seed, type, device, optimised, inference, precision, choice);
        }

        /** Multiplies in another type than the one that values are kept in. */
        public Options precision(ComputePrecision choice) {
            return new Options(seed, type, device, optimised, inference, choice, quantization);
        }
    }

    private final ModelPlan plan;
    private final Blueprint blueprint;
    private final Options options;
    private final FlatVector vector;
    private final FlatVector state;
    private final ForwardContext.Mode mode;
    private final ForwardContext root;
    private final TableStore tables;
    private final boolean ownsTables;
    private final RowGradients rowGradients = new RowGradients();
    private final TreeSet<String> frozen = new TreeSet<>();
    private Set<String> frozenElsewhere = Set.of(); // what other members hold, where this is a part

    Model(ModelPlan plan, FlatVector vector, FlatVector state) {
        this(plan, vector, state, new TableStore(plan.tables()), true);
    }

    private Model(ModelPlan plan, FlatVector vector, FlatVector state, TableStore tables, boolean ownsTables) {
        this.ownsTables = ownsTables;
        this.plan = plan;
        this.blueprint = plan.blueprint();
        this.options = plan.options();
        this.vector = vector;
        this.state = state;
        mode = new ForwardContext.Mode(options);
        this.tables = tables;
        mode.rows = tables;
        try (Scope scope = Scope.open()) {
            root = new ForwardContext(blueprint.root, vector, state, !options.inference, mode);
        }
    }

    public static Model of(Layer definition, Input... inputs) {
        return of(definition, Options.DEFAULT, List.of(inputs));
    }

    /** Works out the shapes, lays out the vector and draws the parameters. */
    public static Model of(Layer definition, Options options, List<Input> inputs) {
        return ModelPlan.of(definition, options, inputs).build();
    }

    /** A model of another worker in this JVM: the same parameters in the same memory, gradients and statistics of its own. */
    public Model replica() {
        FlatVector ownState = new FlatVector(state.size(), options.type, options.device);
        Model replica = new Model(plan, vector.sharingValues(), ownState, tables, false);
        replica.mode.rows = mode.rows;
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            ownState.values().copy_(state.values());
        }
        frozen.forEach(replica::freeze);
        return replica;
    }

    /** Lets a calibration watch the layers until it is closed. */
    Calibration watched(Function<ForwardContext.Mode, Calibration> maker) {
        if (options.type != DType.FLOAT32 || mode.shortType != null || mode.rounds || !options.quantization.isNone()) {
            throw new TuttiException(
                    "a model is calibrated in float32: load it without precision and as it was trained");
        }
        mode.calibration = maker.apply(mode);
        return mode.calibration;
    }

    /** Lets layers write first values of their own, after all were drawn. */
    void initialise() {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            root.initialise();
        }
    }

    /** What the model was built from; it says what part of a whole model this is. */
    public ModelPlan plan() {
        return plan;
    }

    public Layer definition() {
        return plan.definition();
    }

    public List<Input> inputs() {
        return blueprint.inputs;
    }

    /** The shapes that come out, without the batch. */
    public List<Shape> outputs() {
        return blueprint.root.outputs;
    }

    /** The named ranges of the vector, in order. */
    public List<Parameter> parameters() {
        return List.copyOf(blueprint.parameters);
    }

    /** The named ranges of the buffers, which are kept but not learned, in order. */
    public List<Parameter> buffers() {
        return List.copyOf(blueprint.buffers);
    }

    /** Parameters and gradients. */
    public FlatVector vector() {
        return vector;
    }

    /** Running statistics and the like. */
    public FlatVector state() {
        return state;
    }

    public Options options() {
        return options;
    }

    /** The tables of rows that are made on first use, as far as they are in this process. */
    public TableStore tables() {
        return tables;
    }

    /** Gets rows of tables from another place than {@link #tables} from now on, such as servers. */
    public void rowsFrom(RowSource source) {
        mode.rows = source;
    }

    /** The gradients of rows of tables, as the last passes left them. */
    public RowGradients rowGradients() {
        return rowGradients;
    }

    /** Switches between training and prediction: dropout, batch norm. */
    public void training(boolean on) {
        mode.training = on;
    }

    /** Sets whether batches are shares of larger ones: a share may have a single row, which has no variance for batch norm. */
    public void divided(boolean on) {
        mode.divided = on;
    }

    /**
     * Lets batch norm normalise by the batches of all workers together while training.
     *
     * @param sum adds up a tensor over all of them, in place, in forward and backward passes; must not throw. Null: each looks
     *     at its own
     */
    public void shareBatches(Consumer<Tensor> sum) {
        mode.batchSum = sum;
    }

    /**
     * Begins the random numbers of a pass anew. What a layer draws follows from these numbers, for instance seed, step, micro-batch and
     * worker, and from the layer's full name alone.
     */
    public void restartRandomness(long... keys) {
        mode.restartRandomness(keys);
    }

    /** Runs a batch through a model with one output. */
    public Tensor forward(Tensor... inputs) {
        List<Tensor> outputs = forward(List.of(inputs));
        if (outputs.size() != 1) {
            throw new ShapeException(
                    "the model has " + outputs.size() + " outputs: call forward with a list of inputs");
        }
        return outputs.get(0);
    }

    /** Runs a batch through the model. */
    public List<Tensor> forward(List<Tensor> inputs) {
        return run(root, fit(inputs));
    }

    /** Runs a pass from a layer on; what comes out has the model's own type. */
    private List<Tensor> run(ForwardContext from, List<Tensor> inputs) {
        mode.passes++;
        List<Tensor> outputs = from.runAll(inputs);
        return mode.shortType == null
                ? outputs
                : outputs.stream()
                        .map(output -> LayerPrecision.to(output, options.type))
                        .toList();
    }

    // ---- chunks

    /** How many parts of the whole model run by themselves: one, unless the plan put several {@link ModelPlan#together together}. */
    public int chunks() {
        return definition() instanceof ModelChunks several ? several.count() : 1;
    }

    /** What a chunk takes. */
    public List<Input> inputs(int chunk) {
        return definition() instanceof ModelChunks several ? several.inputsOf(chunk, blueprint.inputs) : inputs();
    }

    /** The shapes that come out of a chunk, without the batch. */
    public List<Shape> outputs(int chunk) {
        return definition() instanceof ModelChunks
                ? blueprint.root.children.get(ModelChunks.name(chunk)).outputs
                : outputs();
    }

    /** Runs a batch through a chunk. */
    public List<Tensor> forward(int chunk, List<Tensor> inputs) {
        return run(context(chunk), fit(inputs, inputs(chunk)));
    }

    /** Runs a batch through a chunk for a backward pass, which gives the gradients of the inputs too where they are asked for. */
    public RecordedPass record(int chunk, List<Tensor> inputs, boolean inputGradients) {
        return record(context(chunk), inputs, inputs(chunk), inputGradients);
    }

    private ForwardContext context(int chunk) {
        return definition() instanceof ModelChunks ? root.inner(ModelChunks.name(chunk)) : root;
    }

    /**
     * Lets layers that hold slices of parameters compute with the members that hold the other slices.
     *
     * @param sum adds up a tensor over all of them, in place, in forward and backward passes; must not throw
     */
    public void shareTensors(Consumer<Tensor> sum) {
        mode.tensorSum = sum;
    }

    /**
     * The outputs for a batch of inputs, one row for each; for models with one input and one output. The model computes as in
     * prediction (no dropout, running statistics for batch norm) and is left in the mode it was in. The inputs are what the
     * model itself takes: a {@code Trainer} or a saved model with preprocessing applies it first in its own {@code predict}.
     *
     * @throws ShapeException if the batch does not fit the model, or the model has several inputs or outputs
     */
    public NdArray predict(NdArray batch) {
        boolean training = mode.training;
        mode.training = false;
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            return forward(Tensor.of(batch, options.device)).toArray();
        } finally {
            mode.training = training;
        }
    }

    /**
     * The outputs for further steps of sequences, given those before them: as if all steps had been given at once.
     *
     * @param steps {@code [batch, time]} of ids, or {@code [batch, time, width]}; any number of steps
     * @param cache what is known of the steps before; these steps are added to it. After an exception it is of no use
     */
    public NdArray predict(NdArray steps, KeyValueCache cache) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            return forward(Tensor.of(steps, options.device), cache).toArray();
        }
    }

    /** The same for a part of a model, such as a stage, whose steps are what the part before has computed of them. */
    public Tensor forward(Tensor steps, KeyValueCache cache) {
        if (blueprint.inputs.size() != 1) {
            throw new ShapeException("the model takes " + blueprint.inputs.size() + " inputs: expected one sequence");
        }
        boolean training = mode.training;
        mode.training = false;
        mode.cache = cache;
        Input expected = blueprint.inputs.get(0);
        List<Input> anyLength = List.of(new Input(expected.shape().with(0, Shape.ANY), expected.type()));
        try {
            List<Tensor> outputs = run(root, fit(List.of(steps), anyLength));
            cache.advance(steps.dim(1));
            return outputs.get(0);
        } finally {
            mode.training = training;
            mode.cache = null;
        }
    }

    /** Runs a batch through the model for a backward pass, which only the recorded pass can run. */
    public RecordedPass record(List<Tensor> inputs) {
        return record(root, inputs, blueprint.inputs, false);
    }

    /** The same, and the pass gives the gradients of the inputs too. */
    public RecordedPass recordWithInputGradients(List<Tensor> inputs) {
        return record(root, inputs, blueprint.inputs, true);
    }

    private RecordedPass record(
            ForwardContext from, List<Tensor> inputs, List<Input> expected, boolean inputGradients) {
        if (options.inference) {
            throw new TuttiException(
                    "the model was built for inference and carries no gradients, so no pass can be recorded: "
                            + "build it without forInference() to train it");
        }
        List<Tensor> fitted = fit(inputs, expected);
        if (inputGradients) {
            fitted.replaceAll(x -> x.type().isFloating() ? x.detach().requiresGradient(true) : x);
        }
        GradientTape tape = vector.record();
        List<ForwardContext.TouchedRows> touched = new ArrayList<>();
        mode.tape = options.device.equals(Device.CPU) ? tape : null;
        mode.touched = touched;
        try {
            return new RecordedPass(tape, fitted, run(from, fitted), inputGradients, touched, rowGradients);
        } catch (RuntimeException | Error e) {
            tape.close();
            throw e;
        } finally {
            mode.tape = null;
            mode.touched = null;
        }
    }

    private List<Tensor> fit(List<Tensor> inputs) {
        return fit(inputs, blueprint.inputs);
    }

    private List<Tensor> fit(List<Tensor> inputs, List<Input> expected) {
        if (inputs.size() != expected.size()) {
            throw new ShapeException("the model takes " + expected.size() + " inputs, received " + inputs.size());
        }
        List<Tensor> fitted = new ArrayList<>(inputs.size());
        for (int i = 0; i < inputs.size(); i++) {
            fitted.add(fit(inputs.get(i), expected.get(i), i));
        }
        return fitted;
    }

    private Tensor fit(Tensor tensor, Input expected, int index) {
        Shape shape = tensor.shape();
        if (shape.rank() == 0 || !expected.shape().matches(shape.from(1))) {
            throw new ShapeException("the model was built for samples of shape " + expected.shape()
                    + (blueprint.inputs.size() > 1 ? " at input " + (index + 1) : "") + ", received a batch of shape "
                    + shape);
        }
        DType wanted = expected.type().isFloating() ? options.type : expected.type();
        Tensor typed = tensor.type() == wanted ? tensor : tensor.to(wanted);
        return options.device.equals(Device.CPU) ? typed : typed.to(options.device);
    }

    // ---- freezing

    /** Freezes the parameters under a name: {@code dense1}, or {@code dense1.weight} alone. */
    public void freeze(String name) {
        frozen.addAll(parametersUnder(name));
        learn(name, false);
    }

    /**
     * Freezes all parameters that a pattern matches, such as {@code encoder*}.
     *
     * @return how many
     * @throws TuttiException if there are none
     */
    public int freezeMatching(NamePattern pattern) {
        List<String> names = matching(pattern);
        names.forEach(this::freeze);
        return names.size();
    }

    /** The full names of the parameters that a pattern matches. */
    public List<String> matching(NamePattern pattern) {
        List<String> names = blueprint.parameters.stream()
                .map(Parameter::name)
                .filter(pattern::matches)
                .toList();
        if (names.isEmpty()) {
            throw new TuttiException("no parameter matches '" + pattern + "'"
                    + DidYouMean.hint(
                            pattern.text().replace("*", ""),
                            blueprint.root.children.keySet().stream().toList()));
        }
        return names;
    }

    /** Reverts {@link #freeze}, for all frozen parameters under a name or for some of them. */
    public void unfreeze(String name) {
        frozen.removeAll(parametersUnder(name));
        learn(name, true);
    }

    private void learn(String name, boolean on) {
        if (!options.inference) {
            root.freeze(name, !on);
        }
    }

    /** Freezes exactly the parameters that another model of the same definition has frozen. */
    public void freezeAs(Model other) {
        freezeOnly(other.frozenInWhole());
    }

    /** Freezes exactly these parameters, given by their full names in the whole model; a part remembers those that others hold. */
    public void freezeOnly(Set<String> parameters) {
        Set<String> here = new TreeSet<>(parameters);
        if (!plan.isWhole()) {
            Set<String> elsewhere = new TreeSet<>(parameters);
            here.clear();
            for (Parameter p : blueprint.parameters) {
                String name = plan.sliceOf(p).parameter();
                if (parameters.contains(name)) {
                    here.add(p.name());
                    elsewhere.remove(name);
                }
            }
            frozenElsewhere = elsewhere;
        }
        if (!frozen.equals(here)) {
            List.copyOf(frozen).forEach(this::unfreeze);
            here.forEach(this::freeze);
        }
    }

    /** The full names of the parameters of the whole model that do not learn: where this is a part of it, also those that others hold. */
    public Set<String> frozenInWhole() {
        Set<String> names = new TreeSet<>(frozenElsewhere);
        for (Parameter p : blueprint.parameters) {
            if (isFrozen(p)) {
                names.add(plan.sliceOf(p).parameter());
            }
        }
        return names;
    }

    /** The full names of the parameters that do not learn. */
    public Set<String> frozen() {
        return new TreeSet<>(frozen);
    }

    public boolean isFrozen(Parameter parameter) {
        return frozen.contains(parameter.name());
    }

    /** The stretches of the vector that learn, neighbours joined. */
    public List<Range> trainable() {
        return Range.joined(blueprint.parameters.stream()
                .filter(p -> !isFrozen(p))
                .map(Parameter::range)
                .toList());
    }

    static boolean matches(String qualified, String name) {
        return qualified.equals(name) || qualified.startsWith(name + ".");
    }

    private List<String> parametersUnder(String name) {
        List<String> names = blueprint.parameters.stream()
                .map(Parameter::name)
                .filter(full -> matches(full, name))
                .toList();
        if (names.isEmpty()) {
            throw new TuttiException("no parameters are named '" + name + "'"
                    + DidYouMean.hint(
                            name, blueprint.root.children.keySet().stream().toList()));
        }
        return names;
    }

    // ---- values by name

    /** Copies of all parameters and buffers by name, in the order of their shapes. */
    public Map<String, NdArray> arrays() {
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        try (Scope scope = Scope.open()) {
            blueprint.parameters.forEach(p -> arrays.put(
                    p.name(), vector.view(p.range(), p.shape(), p.layout()).toArray()));
            blueprint.buffers.forEach(b -> arrays.put(
                    b.name(), state.view(b.range(), b.shape(), b.layout()).toArray()));
        }
        return arrays;
    }

    /**
     * What this model holds of the whole model's parameters and buffers, in the order of their shapes: views of its memory, which belong
     * to the open scope. Reading them saves the model, writing to them restores it.
     */
    public Map<Slice, Tensor> held() {
        Map<Slice, Tensor> held = new LinkedHashMap<>();
        blueprint.parameters.forEach(p -> held.put(plan.sliceOf(p), vector.view(p.range(), p.shape(), p.layout())));
        blueprint.buffers.forEach(b -> held.put(plan.sliceOf(b), state.view(b.range(), b.shape(), b.layout())));
        return held;
    }

    /** Takes over values by name; every parameter and buffer must be there, in its shape. */
    public void load(Map<String, NdArray> arrays, String from) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            blueprint.parameters.forEach(p -> load(p, vector, arrays, from));
            blueprint.buffers.forEach(b -> load(b, state, arrays, from));
        }
        root.dropCopies();
    }

    private void load(Parameter p, FlatVector target, Map<String, NdArray> arrays, String from) {
        NdArray array = arrays.get(p.name());
        if (array == null) {
            throw new ShapeException(from + " has no values for " + p.name() + " " + p.shape() + ": it holds "
                    + String.join(", ", arrays.keySet()));
        }
        if (!array.shape().equals(p.shape())) {
            throw new ShapeException(
                    from + " holds " + p.name() + " as " + array.shape() + ", the model expects " + p.shape());
        }
        target.view(p.range(), p.shape(), p.layout()).copy_(Tensor.of(array.to(options.type)));
    }

    /** A table of layers, output shapes and numbers of parameters. */
    public String summary() {
        return ModelSummary.of(this, blueprint.root);
    }

    /** The model in TorchScript: source and tensors, see {@link ScriptWriter}. */
    public ScriptWriter script() {
        return ScriptWriter.of(blueprint, this);
    }

    @Override
    public void close() {
        root.close();
        mode.randomness.close();
        vector.close();
        state.close();
        if (ownsTables) {
            tables.close();
        }
    }
}
