package dev.tutti.optim;

import dev.tutti.array.Range;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FusedUpdate;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** An update whose step is one call of a fused kernel for all stretches that have one learning rate. */
abstract class FusedVectorUpdate extends VectorUpdate {
    private final Map<List<ParameterSlice>, FusedUpdate> calls = new IdentityHashMap<>();

    FusedVectorUpdate(Target target, Decay decay) {
        super(target, decay);
    }

    /** Puts the call together; the tensors are as long as the target's range. */
    abstract FusedUpdate prepare(List<Range> blocks, Tensor values, Tensor gradients, double weightDecay);

    @Override
    final void arrange(List<ParameterSlice> stretches) {
        if (!stretches.isEmpty()) {
            calls.put(stretches, prepare(blocks(stretches), values(), gradients(), kernelDecay()));
        }
    }

    private List<Range> blocks(List<ParameterSlice> stretches) {
        List<Range> within = stretches.stream().map(ParameterSlice::range).toList();
        return FusedUpdate.blocks(within, target().range().from());
    }

    @Override
    protected final void move(List<ParameterSlice> stretches, double rate) {
        if (source() == null) {
            calls.get(stretches).run(rate);
            return;
        }
        try (FusedUpdate once = prepare(blocks(stretches), values(), source(), kernelDecay())) {
            once.run(rate);
        }
    }

    @Override
    final boolean readsElsewhere() {
        return true;
    }

    @Override
    final boolean decaysInKernel() {
        return true;
    }

    @Override
    final void release() {
        super.release();
        calls.values().forEach(FusedUpdate::close);
        calls.clear();
    }
}
