package dev.tutti.optim;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.NoDenormals;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What all updates share: state by name, the stretches that learn at the moment, weight decay by group.
 *
 * <p>An optimizer of your own extends it, declares its state in its fields and says how a stretch of it moves:
 *
 * <pre>{@code
 * protected Update update(Target target) {
 *     return new VectorUpdate(target, decay()) {
 *         private final Tensor velocity = state("velocity");
 *
 *         protected void move(List<Stretch> stretches, double rate) {
 *             for (Stretch s : stretches) {
 *                 s.values().add_(s.of(velocity).mul_(momentum).add_(s.gradients()), -rate);
 *             }
 *         }
 *     };
 * }
 * }</pre>
 *
 * <p>Values, gradients and state are not recorded by differentiation, so nothing has to be switched off here.
 */
public abstract class VectorUpdate implements Update {
    private final Target target;
    private final Decay decay;
    private final Tensor mask;
    private final Consolidation.Pull pull; // null for none
    private final Tensor values;
    private final Tensor gradients;
    private final Map<String, Tensor> state = new LinkedHashMap<>();
    private Tensor counter;
    private Tensor source;
    private boolean counts = true;
    private List<Range> trainable;
    private List<RateGroup> groups = List.of();
    private boolean closed;

    protected VectorUpdate(Target target, Decay decay) {
        this.target = target;
        this.decay = decay;
        mask = decay.mask(target); // first: it may refuse a name, and nothing is held yet
        pull = target.consolidation() == null ? null : target.consolidation().bind(target);
        FlatVector vector = target.vector();
        values = vector.values(target.range()).retain();
        gradients = vector.gradients(target.range()).retain();
    }

    /** Moves the stretches by their gradients; weight decay has been seen to. */
    protected abstract void move(List<ParameterSlice> stretches, double rate);

    /** Declares state as long as the range; it begins as zeros. */
    protected final Tensor state(String name) {
        return declare(name, Shape.of(target.range().length()), target.vector().type());
    }

    /** Declares the number of the step, 1 at the first one: kept as state, raised before each step. */
    protected final Tensor counter(String name) {
        counter = declare(name, Shape.scalar(), DType.FLOAT32);
        return counter;
    }

    /** From now on the owner of this memory raises the number of the step. */
    void followCounter(Tensor number) {
        counter.liveIn(number);
        counts = false;
    }

    private Tensor declare(String name, Shape shape, DType type) {
        Tensor tensor = Tensor.zeros(shape, type, target.vector().device()).retain();
        state.put(name, tensor);
        return tensor;
    }

    @Override
    public final void apply(double learningRate) {
        step(learningRate);
    }

    @Override
    public final boolean applyFrom(Tensor elsewhere, double learningRate) {
        boolean changesGradients = decay.isOn() && !decay.decoupled() && (mask != null || !decaysInKernel());
        if (changesGradients || !readsElsewhere()) {
            return false;
        }
        source = elsewhere;
        try {
            step(learningRate);
        } finally {
            source = null;
        }
        return true;
    }

    /** Whether {@link #move} reads the gradients of {@link #source} where there are any. */
    boolean readsElsewhere() {
        return false;
    }

    /** Gradients that this step is to read in place of the target's; null for those. */
    final Tensor source() {
        return source;
    }

    private void step(double learningRate) {
        if (closed || !target.vector().values().isOpen()) {
            throw new IllegalStateException("the update was applied after it or its vector was closed");
        }
        try (Scope scope = Scope.open();
                NoDenormals off = NoDenormals.begin()) {
            List<Range> now = target.trainable().get();
            if (!now.equals(trainable)) {
                release();
                List<RateGroup> changed = new ArrayList<>();
                target.groups(now).forEach((factor, ranges) -> changed.add(new RateGroup(factor, stretches(ranges))));
                groups = changed;
                trainable = List.copyOf(now);
                groups.forEach(group -> arrange(group.stretches));
            }
            if (counter != null && counts) {
                counter.add_(1); // also while all is frozen: parts of a divided update count alike
            }
            for (RateGroup group : groups) {
                if (!group.stretches.isEmpty()) {
                    moveGroup(group.stretches, learningRate * group.factor);
                }
            }
        }
    }

    /** Stretches whose learning rate is scaled alike. */
    private record RateGroup(double factor, List<ParameterSlice> stretches) {}

    private void moveGroup(List<ParameterSlice> stretches, double rate) {
        if (pull != null) {
            stretches.forEach(pull::addTo);
        }
        if (decay.isOn() && (mask != null || !decaysInKernel())) {
            stretches.forEach(slice -> decay(slice, rate));
        }
        move(stretches, rate);
    }

    private List<ParameterSlice> stretches(List<Range> segments) {
        long offset = target.range().from();
        List<ParameterSlice> out = new ArrayList<>();
        for (Range segment : segments) {
            Range within = new Range(segment.from() - offset, segment.length());
            out.add(new ParameterSlice(within, segment.equals(target.range()), values, gradients));
        }
        return out;
    }

    private void decay(ParameterSlice slice, double rate) {
        Tensor moved = decay.decoupled() ? slice.values() : slice.gradients();
        double factor = decay.decoupled() ? -rate * decay.amount() : decay.amount();
        if (mask != null) {
            moved.addcmul_(slice.values(), slice.of(mask), factor);
        } else if (decay.decoupled()) {
            moved.mul_(1 + factor);
        } else {
            moved.add_(slice.values(), factor);
        }
    }

    /** Called when what learns has changed, before the next step, for each group of stretches that are moved together. */
    void arrange(List<ParameterSlice> changed) {}

    /** True when decay that is the same for all is left to the step itself. */
    boolean decaysInKernel() {
        return false;
    }

    void release() {
        groups.forEach(group -> group.stretches.forEach(ParameterSlice::close));
        groups = List.of();
        trainable = null;
    }

    /** What the step has to decay by itself. */
    final double kernelDecay() {
        return mask == null ? decay.amount() : 0;
    }

    final Target target() {
        return target;
    }

    final Tensor values() {
        return values;
    }

    final Tensor gradients() {
        return gradients;
    }

    @Override
    public final Map<String, Tensor> state() {
        return Collections.unmodifiableMap(state);
    }

    @Override
    public final void close() {
        if (closed) {
            return;
        }
        closed = true;
        release();
        state.values().forEach(Tensor::close);
        values.close();
        gradients.close();
        if (mask != null) {
            mask.close();
        }
        if (pull != null) {
            pull.close();
        }
    }
}
