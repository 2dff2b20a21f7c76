package dev.tutti.nn;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.table.TableSpec;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model worked out from a definition and its inputs before memory is allocated: names, shapes, ranges, rules for first values,
 * bytes. Members plan first, meet, and then build what they hold: the whole, a range of layers, slices of tensors.
 *
 * <pre>{@code
 * ModelPlan plan = ModelPlan.of(definition, Model.Options.DEFAULT.seed(7), List.of(Input.of(784)));
 * Model whole = plan.build();
 * Model second = plan.part(Range.between(4, 8)).build();   // layers 4 to 7 of a Sequential
 * }</pre>
 *
 * <p>A part's parameters have the names and the first values of the whole model's, and its layers draw the random numbers that those
 * of the whole would. Their ranges are those of the part's own vector; {@link #held} and {@link #rangesOf} say where they lie in the
 * vector of the whole. A plan is immutable and may be shared between threads.
 */
public final class ModelPlan {
    private final Layer definition;
    private final Model.Options options;
    private final Blueprint blueprint;
    private final ModelPlan whole; // null where this is the whole
    private final Map<String, Slice> slices; // of those parameters and buffers that are not held in full

    private ModelPlan(
            Layer definition, Model.Options options, List<Input> inputs, ModelPlan whole, Map<String, Slice> slices) {
        this(definition, options, new Blueprint(definition, inputs), whole, slices);
    }

    private ModelPlan(
            Layer definition, Model.Options options, Blueprint blueprint, ModelPlan whole, Map<String, Slice> slices) {
        this.definition = definition;
        this.options = options;
        this.blueprint = blueprint;
        this.whole = whole;
        this.slices = slices;
    }

    /**
     * Works out a whole model.
     *
     * @throws ShapeException if layers do not fit together
     */
    public static ModelPlan of(Layer definition, Model.Options options, List<Input> inputs) {
        ModelPlan plan = new ModelPlan(definition, options, inputs, null, Map.of());
        if (!plan.blueprint.borrowed.isEmpty()) {
            String name = plan.blueprint.borrowed.iterator().next();
            List<String> names =
                    plan.blueprint.parameters.stream().map(Parameter::name).toList();
            throw new ShapeException("a layer shares the parameter '" + name + "', which no layer before it has"
                    + DidYouMean.hint(
                            name,
                            names.stream().filter(each -> !each.equals(name)).toList()));
        }
        return plan;
    }

    /** Shared parameters whose layer is not in the part begin as that layer says. */
    private ModelPlan ofPart(Layer part, List<Input> inputs) {
        Blueprint worked = new Blueprint(part, inputs);
        Map<String, Slice> held = new LinkedHashMap<>();
        for (Parameter p : worked.parameters) {
            if (worked.borrowed.contains(p.name())) {
                held.put(p.name(), Slice.all(p.name(), p.shape()));
            }
        }
        return new ModelPlan(part, options, worked, this, held);
    }

    // ---- what is planned

    public Layer definition() {
        return definition;
    }

    public Model.Options options() {
        return options;
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

    /** The named ranges of what is kept but not learned, in order. */
    public List<Parameter> buffers() {
        return List.copyOf(blueprint.buffers);
    }

    /** The tables of rows that are made on first use, which are not in the vector. */
    public List<TableSpec> tables() {
        return blueprint.tables.stream().map(table -> seeded(table, options)).toList();
    }

    static TableSpec seeded(TableSpec table, Model.Options options) {
        return new TableSpec(table.name(), table.width(), table.first(), options.seed());
    }

    /** The names of the outermost layers, in order. */
    public List<String> layers() {
        return List.copyOf(blueprint.root.children.keySet());
    }

    /** Elements that members with slices of these layers sum for each row of a batch on the way forward. */
    public long summedForward() {
        return blueprint.summedForward;
    }

    /**
     * The same on the way back.
     *
     * @param inputGradients whether the inputs have gradients: those of the first part of a model have none, and are not summed
     */
    public long summedBackward(boolean inputGradients) {
        return blueprint.summedBackward - (inputGradients ? 0 : blueprint.summedAtInput);
    }

    /** Bytes that parameters and buffers take, and the gradients where there are any. */
    public long bytes() {
        long perParameter = options.inference() ? 1 : 2;
        return (blueprint.parameterCount() * perParameter + blueprint.bufferCount())
                * options.type().bytes();
    }

    /** The plan of the model that this one is a part of; this plan where it is the whole. */
    public ModelPlan whole() {
        return whole == null ? this : whole;
    }

    public boolean isWhole() {
        return whole == null;
    }

    /** What of the whole model's parameters is held, in the order of {@link #parameters}. */
    public List<Slice> held() {
        return blueprint.parameters.stream().map(this::sliceOf).toList();
    }

    /** What of the whole model's parameter or buffer is held. */
    Slice sliceOf(Parameter p) {
        return slices.getOrDefault(p.name(), Slice.all(p.name(), p.shape()));
    }

    /** Where a slice of a parameter lies in the vector of the whole model. */
    public List<Range> rangesOf(Slice slice) {
        Parameter p = whole().find(whole().blueprint.parameters, slice.parameter())
                .orElseThrow(() -> unknown(slice.parameter()));
        if (!p.shape().equals(slice.whole())) {
            throw new IllegalArgumentException(
                    "the slice " + slice + " is one of " + slice.whole() + ", the whole model has " + p.shape());
        }
        return slice.within(p.range(), p.layout());
    }

    /**
     * What a slice of a parameter or buffer of the whole model begins with.
     *
     * @return belongs to the open scope
     */
    public Tensor firstValues(Slice slice) {
        Tensor all = InitialValues.of(whole().blueprint, slice.parameter(), options);
        if (!all.shape().equals(slice.whole())) {
            throw new IllegalArgumentException(
                    "the slice " + slice + " is one of " + slice.whole() + ", the whole model has " + all.shape());
        }
        return slice.of(all);
    }

    private Optional<Parameter> find(List<Parameter> among, String name) {
        return among.stream().filter(p -> p.name().equals(name)).findFirst();
    }

    private TuttiException unknown(String name) {
        List<String> names =
                whole().blueprint.parameters.stream().map(Parameter::name).toList();
        return new TuttiException("the whole model has no parameter '" + name + "'" + DidYouMean.hint(name, names));
    }

    // ---- parts

    /** The same without gradients, for predictions alone: half the memory. Its model refuses to record. */
    public ModelPlan forInference() {
        return new ModelPlan(definition, options.forInference(), blueprint, whole, slices);
    }

    /**
     * A range of the layers of a {@link Sequential} or a {@link Graph}, counted from 0 as {@link #layers} does. A part of a graph takes
     * and gives all values that cross its ends, in the order in which they come to be: also those that it only passes on.
     *
     * @throws TuttiException if the model is neither, or the range is empty or beyond its layers
     */
    public ModelPlan part(Range layers) {
        requireWhole();
        List<String> names = layers();
        boolean isCuttable = definition instanceof Sequential || definition instanceof Graph;
        if (isCuttable && (layers.isEmpty() || layers.to() > names.size())) {
            throw new TuttiException("a part has one layer or more of [0, " + names.size() + "): received " + layers);
        }
        if (definition instanceof Graph graph) {
            return part(graph.crossing((int) layers.from()), graph.crossing((int) layers.to()));
        }
        if (!(definition instanceof Sequential sequential)) {
            throw new TuttiException(
                    "a range of layers can be cut out of a Sequential or a Graph: the model is a " + definition.kind());
        }
        List<Input> inputs = inputs();
        for (int i = 0; i < layers.from(); i++) {
            inputs = List.of(new Input(
                    blueprint.root.children.get(names.get(i)).output(),
                    ValueTypes.after(sequential.layers().get(i), inputs)));
        }
        return ofPart(sequential.part(layers), inputs);
    }

    /**
     * What a {@link Graph} computes between values, which are named by the layers they come from or by the graph's inputs.
     *
     * @param from the values that the part is given, its inputs
     * @param to the values that it gives, its outputs
     * @throws TuttiException if the model is not a Graph, has no such values, or the outputs need more than the inputs
     */
    public ModelPlan part(List<String> from, List<String> to) {
        requireWhole();
        if (!(definition instanceof Graph graph)) {
            throw new TuttiException(
                    "a part between named values can be cut out of a Graph: the model is a " + definition.kind());
        }
        Map<String, Input> known =
                graph.values(inputs(), name -> blueprint.root.children.get(name).output());
        Graph part = graph.part(from, to);
        return ofPart(part, from.stream().map(known::get).toList());
    }

    /**
     * Another definition that computes with slices of this model's parameters, as a member of a tensor-parallel group does: its
     * parameters and buffers have names of the whole model's, and the shapes of their slices, or of the whole where no slice is given.
     * Layers draw random numbers for the values they see, which are not a slice of those that the whole would draw.
     *
     * @throws TuttiException if a name or a shape does not fit the whole model
     */
    public ModelPlan sliced(Layer part, List<Input> inputs, List<Slice> held) {
        Map<String, Slice> byName = new LinkedHashMap<>();
        held.forEach(slice -> byName.put(slice.parameter(), slice));
        return sliced(part, inputs, byName);
    }

    /**
     * The same where parameters of the part may have names of their own, because several of them are slices of one of the whole model's.
     *
     * @param held slices by the names that they have in the part
     */
    public ModelPlan sliced(Layer part, List<Input> inputs, Map<String, Slice> held) {
        requireWhole();
        Map<String, Slice> byName = new LinkedHashMap<>(held);
        ModelPlan plan = new ModelPlan(part, options, inputs, this, byName);
        List<String> unused = new ArrayList<>(byName.keySet());
        plan.blueprint.parameters.forEach(p -> unused.remove(check(p, blueprint.parameters, byName)));
        plan.blueprint.buffers.forEach(b -> unused.remove(check(b, blueprint.buffers, byName)));
        for (Parameter p : plan.blueprint.parameters) { // whole ones begin as the whole model's do, also in a part
            byName.putIfAbsent(p.name(), Slice.all(p.name(), p.shape()));
        }
        if (!unused.isEmpty()) {
            throw new TuttiException("the part has no parameter '" + unused.get(0) + "', of which a slice is given");
        }
        return plan;
    }

    private String check(Parameter p, List<Parameter> among, Map<String, Slice> held) {
        String name = held.containsKey(p.name()) ? held.get(p.name()).parameter() : p.name();
        Parameter all = find(among, name).orElseThrow(() -> unknown(name));
        Slice slice = held.getOrDefault(p.name(), Slice.all(p.name(), all.shape()));
        if (!slice.whole().equals(all.shape()) || !slice.shape().equals(p.shape())) {
            throw new TuttiException("the part has " + p.name() + " as " + p.shape() + ": expected " + slice.shape()
                    + ", the rows " + slice.rows() + " along axis " + slice.axis() + " of the whole model's "
                    + all.shape());
        }
        return p.name();
    }

    /**
     * Several parts of one model as one model, with one vector: each part is a chunk that runs by itself ({@link Model#record(int,
     * List, boolean)}), as the chunks do that a stage of an interleaved pipeline holds.
     *
     * @param parts of the same whole model; a parameter that several of them use is held once
     */
    public static ModelPlan together(List<ModelPlan> parts) {
        ModelPlan first = parts.get(0);
        if (parts.size() == 1) {
            return first;
        }
        List<Layer> definitions = new ArrayList<>();
        List<Input> inputs = new ArrayList<>();
        List<Integer> counts = new ArrayList<>();
        Map<String, Slice> slices = new LinkedHashMap<>();
        for (ModelPlan part : parts) {
            if (part.whole() != first.whole()) {
                throw new IllegalArgumentException("chunks are parts of one model: received parts of several");
            }
            definitions.add(part.definition);
            inputs.addAll(part.inputs());
            counts.add(part.inputs().size());
            slices.putAll(part.slices);
        }
        return new ModelPlan(new ModelChunks(definitions, counts), first.options, inputs, first.whole(), slices);
    }

    private void requireWhole() {
        if (!isWhole()) {
            throw new IllegalStateException("parts are cut out of the whole model: call whole() first");
        }
    }

    // ---- models

    /** Allocates what is planned, and writes the first values. */
    public Model build() {
        blueprint.requireMemory(options.type());
        FlatVector vector = new FlatVector(blueprint.parameterCount(), options.type(), options.device());
        FlatVector state = new FlatVector(blueprint.bufferCount(), options.type(), options.device());
        try {
            InitialValues.draw(unsliced(blueprint.parameters), vector, options.seed());
            InitialValues.draw(unsliced(blueprint.buffers), state, options.seed());
            Model model = new Model(this, vector, state);
            model.initialise();
            blueprint.parameters.forEach(p -> copySlice(p, vector));
            blueprint.buffers.forEach(b -> copySlice(b, state));
            return model;
        } catch (RuntimeException | Error e) {
            vector.close();
            state.close();
            throw e;
        }
    }

    private List<Parameter> unsliced(List<Parameter> parameters) {
        return parameters.stream().filter(p -> !slices.containsKey(p.name())).toList();
    }

    private void copySlice(Parameter p, FlatVector target) {
        Slice slice = slices.get(p.name());
        if (slice == null) {
            return;
        }
        try (Scope scope = Scope.open()) {
            InitialValues.copySlice(
                    slice,
                    InitialValues.of(whole().blueprint, slice.parameter(), options),
                    target.view(p.range(), p.shape(), p.layout()));
        }
    }

    Blueprint blueprint() {
        return blueprint;
    }
}
