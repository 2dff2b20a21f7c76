package dev.tutti.tensor.vector;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.BlockedConvChain;
import dev.tutti.tensor.onednn.ConvChain;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * All parameters of a model in one contiguous buffer, and all their gradients in a second.
 *
 * <p>Layers hold views of ranges. An all-reduce bucket, an optimizer's update, a checkpoint, an average is a range as well: no
 * copies in between.
 */
public final class FlatVector implements AutoCloseable {
    private final long size;
    private final DType type;
    private final Device device;
    private final Tensor values;
    private final List<LargeGradient> large = new ArrayList<>();
    private final Map<Range, Tensor> parameters = new LinkedHashMap<>();
    private final Map<Range, ParameterLayout> layouts = new HashMap<>();
    private final Map<Range, GradientHook> hooks = new HashMap<>();
    private final Set<Range> taken = new HashSet<>();
    private final ManualBackwards cuts = new ManualBackwards();
    private List<Range> small;
    private Tensor gradients;
    private Tensor elsewhere; // where backward passes write; null: into the gradients
    private Consumer<Range> listener; // null if the pass under way has no listener
    private boolean listenerWantsAll;
    private RuntimeException listenerFailure;
    private boolean adding;
    private boolean closed;

    public FlatVector(long size, DType type, Device device) {
        this(size, type, device, Tensor.zeros(Shape.of(size), type, device).retain());
    }

    private FlatVector(long size, DType type, Device device, Tensor values) {
        this.size = size;
        this.type = type;
        this.device = device;
        this.values = values;
    }

    /** A vector with the same values, in the same memory, and gradients of its own: for workers of one JVM. */
    public FlatVector sharingValues() {
        return new FlatVector(size, type, device, values.retain());
    }

    public long size() {
        return size;
    }

    public DType type() {
        return type;
    }

    public Device device() {
        return device;
    }

    public Range all() {
        return new Range(0, size);
    }

    public Tensor values() {
        return values;
    }

    /** Made when first asked for: a vector of running statistics never has any. */
    public synchronized Tensor gradients() {
        if (gradients == null) {
            gradients = Tensor.zeros(Shape.of(size), type, device).retain();
        }
        return gradients;
    }

    /** A view of a range of the values. */
    public Tensor values(Range range) {
        return values.narrow(0, range.from(), range.length());
    }

    /** A view of a range of the gradients. */
    public Tensor gradients(Range range) {
        return gradients().narrow(0, range.from(), range.length());
    }

    /**
     * From now on backward passes write into other memory, such as others can read; {@link #gradients} are left alone. What was
     * written so far moves there.
     *
     * @param memory as long as the vector; remains the caller's, and in use until this is called again. Null: the gradients
     */
    public void writeGradientsTo(Tensor memory) {
        if (memory != null && memory.size() != size) {
            throw new IllegalArgumentException(
                    "expected memory for " + size + " gradients, received " + memory.size() + " elements");
        }
        elsewhere = memory;
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            parameters.forEach((range, parameter) -> {
                LargeGradient own = largeGradient(parameter);
                Tensor view = own == null ? parameter.gradient() : own.view();
                view.liveIn(shaped(written(range), parameter.shape(), layouts.get(range)));
            });
        }
    }

    /** Where backward passes write: the {@link #gradients}, unless {@link #writeGradientsTo} said otherwise. */
    public Tensor written() {
        return elsewhere == null ? gradients() : elsewhere;
    }

    /** A view of a range of what backward passes write. */
    public Tensor written(Range range) {
        return written().narrow(0, range.from(), range.length());
    }

    /** Leaves what a backward pass without data would. */
    public void zeroGradients() {
        written().zero_();
    }

    /**
     * Runs the backward pass from a loss. Afterwards the gradients hold what it gave; with {@code add} it is added to what they
     * held before.
     */
    public void backward(Tensor loss, boolean add) {
        if (!add) {
            smallRanges().forEach(range -> written(range).zero_());
        }
        large.forEach(LargeGradient::leaveToTheEngine);
        taken.clear();
        try {
            loss.backward();
            cuts.backward(add, this::written);
        } finally {
            cuts.forget();
            large.stream()
                    .filter(gradient -> !taken.contains(gradient.range()))
                    .forEach(gradient -> gradient.takeOver(add));
        }
    }

    /**
     * The same, and tells as soon as the gradients of a range are final: first those of single parameters, in the order in which
     * the pass comes to them, at last the whole vector.
     *
     * @param ready called on this thread
     */
    public void backward(Tensor loss, boolean add, Consumer<Range> ready) {
        parameters.forEach((range, parameter) -> {
            if (parameter.handle().requires_grad() && !hooks.containsKey(range)) {
                hooks.put(range, GradientHook.on(parameter, () -> accumulated(range)));
            }
        });
        backward(loss, add, ready, true);
    }

    /**
     * The same as {@link #backward(Tensor, boolean)}, and tells as soon as the pass is through with a range: its gradients are final,
     * and its values are not read any more. It knows that early of large weights of dense layers, and of all else in the end.
     *
     * @param left called on this thread, at last with the whole vector
     */
    public void backwardLeaving(Tensor loss, boolean add, Consumer<Range> left) {
        backward(loss, add, left, false);
    }

    private void backward(Tensor loss, boolean add, Consumer<Range> tell, boolean wantsAll) {
        listener = tell;
        listenerWantsAll = wantsAll;
        listenerFailure = null;
        adding = add;
        try {
            backward(loss, add);
        } finally {
            listener = null;
        }
        if (listenerFailure != null) {
            throw listenerFailure;
        }
        tell.accept(all());
    }

    /**
     * A dense product with parameters of this vector, for a chain of such: {@link #backward} writes the gradients of large
     * weights straight into the vector. Until then the result is an input to what follows, so nothing that follows may depend on
     * what came before {@code x} but through the result; and only {@link #backward} knows the way back.
     *
     * @param bias may be null
     * @param rectified whether negative results are set to zero
     * @return null where the product brings nothing, or cannot be made that way
     */
    public Tensor cutProduct(Tensor x, Tensor weight, Tensor bias, boolean rectified) {
        if (x.rank() != 2 || x.handle().is_mkldnn() || !weight.handle().requires_grad()) {
            return null;
        }
        if (bias != null && (!bias.handle().requires_grad() || bias.size() >= LargeGradient.LEAST)) {
            return null;
        }
        LargeGradient gradient = largeGradient(weight);
        return gradient == null ? null : cuts.add(new ProductBackward(x, gradient, bias, rectified, cuts.last()));
    }

    /**
     * A stretch of layers with parameters of this vector. What is said of {@link #cutProduct} is true of it.
     *
     * @return null where it cannot be made that way
     */
    public Tensor cutStretch(Tensor x, ConvChain stretch) {
        BlockedConvChain ready = stretch.ready(x);
        return ready == null ? null : cuts.add(new ConvChainBackward(x, ready, this::largeGradient, cuts.last()));
    }

    /**
     * The sum of a tensor and of what a branch makes of its rows, within which {@link #cutProduct} may be used. What is said
     * there of its result is true of this one.
     *
     * @param branch gets all axes but the last as one, and leaves their lengths as they are
     */
    public Tensor cutResidual(Tensor x, UnaryOperator<Tensor> branch) {
        return cuts.addResidual(x, branch);
    }

    /** Whether {@link #cutProduct} would bring something for a weight. */
    public boolean cutsProductsWith(Tensor weight) {
        return weight.handle().requires_grad() && largeGradient(weight) != null;
    }

    private LargeGradient largeGradient(Tensor parameter) {
        for (LargeGradient gradient : large) {
            if (gradient.parameter() == parameter) {
                return gradient;
            }
        }
        return null;
    }

    /** Forgets where a forward pass was cut that no backward pass followed. */
    public void forgetCuts() {
        cuts.forget();
    }

    private void written(Tensor parameter) {
        parameters.forEach((range, known) -> {
            if (known == parameter) {
                taken.add(range);
                if (listener != null && listenerFailure == null) {
                    tell(range);
                }
            }
        });
    }

    private void accumulated(Range range) {
        if (listener == null || !listenerWantsAll || listenerFailure != null) {
            return;
        }
        large.stream().filter(gradient -> gradient.range().equals(range)).forEach(gradient -> {
            gradient.takeOver(adding);
            taken.add(range);
        });
        tell(range);
    }

    private void tell(Range range) {
        try {
            listener.accept(range);
        } catch (RuntimeException e) {
            listenerFailure = e; // the engine would not carry it through
        }
    }

    /** What lies between the large gradients. */
    private List<Range> smallRanges() {
        if (small == null) {
            small = new ArrayList<>();
            long from = 0;
            for (LargeGradient gradient : large) {
                if (gradient.range().from() > from) {
                    small.add(Range.between(from, gradient.range().from()));
                }
                from = gradient.range().to();
            }
            if (from < size) {
                small.add(Range.between(from, size));
            }
        }
        return small;
    }

    /**
     * The values of a range in the shape of a parameter, not recorded by differentiation.
     *
     * <p>Views of one vector do not know of each other's changes: otherwise a backward pass that needs one running statistic
     * would be refused because another one, elsewhere in the vector, was updated meanwhile.
     */
    public Tensor view(Range range, Shape shape, ParameterLayout layout) {
        return shaped(values(range), shape, layout).unlinked();
    }

    /** A parameter: a view of a range whose gradient is accumulated in the same range of the gradients. */
    public Tensor parameter(Range range, Shape shape, ParameterLayout layout) {
        Tensor parameter = view(range, shape, layout);
        parameter.requiresGradient(true);
        Tensor gradient = shaped(written(range), shape, layout);
        parameter.accumulateInto(gradient);
        parameters.put(range, parameter);
        layouts.put(range, layout);
        if (range.length() >= LargeGradient.LEAST) {
            forgetLarge(range);
            large.add(new LargeGradient(range, parameter, gradient.retain()));
            large.sort(Comparator.comparing(entry -> entry.range().from()));
            small = null;
        }
        return parameter;
    }

    private void forgetLarge(Range range) {
        large.stream().filter(entry -> entry.range().equals(range)).forEach(LargeGradient::close);
        large.removeIf(entry -> entry.range().equals(range));
    }

    private static Tensor shaped(Tensor range, Shape shape, ParameterLayout layout) {
        if (layout == ParameterLayout.PLAIN) {
            return range.view(shape.toArray());
        }
        if (shape.rank() != 4) {
            throw new IllegalArgumentException("channels last is a layout of four axes: received " + shape);
        }
        return range.view(shape.dim(0), shape.dim(2), shape.dim(3), shape.dim(1))
                .permute(0, 3, 1, 2);
    }

    /** Frees the gradients, and the values when no other vector shares them any more. Closing twice does nothing. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        hooks.values().forEach(GradientHook::release);
        values.close();
        large.forEach(LargeGradient::close);
        if (gradients != null) {
            gradients.close();
        }
    }
}
