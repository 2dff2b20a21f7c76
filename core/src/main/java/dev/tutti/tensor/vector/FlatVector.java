package dev.tutti.tensor.vector;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
    private List<Range> small;
    private Tensor gradients;
    private Tensor elsewhere; // where backward passes write; null: into the gradients
    private GradientTape running; // whose backward pass is under way; null between passes
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

    /** Whether memory for gradients was allocated. */
    public synchronized boolean hasGradients() {
        return gradients != null;
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
                Tensor view = own == null ? parameter.gradient().orElseThrow() : own.view();
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

    /** Begins the record of a forward pass over parameters of this vector. Several may be open at once. */
    public GradientTape record() {
        return new GradientTape(this);
    }

    /** A tape begins its backward pass; until {@link #end} it hears of gradients that the engine has accumulated. */
    void begin(GradientTape tape, boolean add, boolean hears) {
        if (hears) {
            parameters.forEach((range, parameter) -> {
                if (parameter.handle().requires_grad() && !hooks.containsKey(range)) {
                    hooks.put(range, GradientHook.on(parameter, () -> accumulated(range)));
                }
            });
        }
        if (!add) {
            smallRanges().forEach(range -> written(range).zero_());
        }
        large.forEach(LargeGradient::leaveToTheEngine);
        running = tape;
    }

    private void accumulated(Range range) {
        if (running != null) {
            running.accumulated(range);
        }
    }

    /** Takes over the gradient of a large parameter as soon as it is final; says whether the range is that of one. */
    boolean takeOver(Range range, boolean add) {
        boolean found = false;
        for (LargeGradient gradient : large) {
            if (gradient.range().equals(range)) {
                gradient.takeOver(add);
                found = true;
            }
        }
        return found;
    }

    /** @param taken ranges of large gradients that are in the vector already */
    void end(boolean add, Set<Range> taken) {
        running = null;
        large.stream()
                .filter(gradient -> !taken.contains(gradient.range()))
                .forEach(gradient -> gradient.takeOver(add));
    }

    /** The ranges that are this parameter's. */
    List<Range> rangesOf(Tensor parameter) {
        return parameters.entrySet().stream()
                .filter(entry -> entry.getValue() == parameter)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Null where the parameter is not a large one. */
    LargeGradient largeGradient(Tensor parameter) {
        for (LargeGradient gradient : large) {
            if (gradient.parameter() == parameter) {
                return gradient;
            }
        }
        return null;
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
