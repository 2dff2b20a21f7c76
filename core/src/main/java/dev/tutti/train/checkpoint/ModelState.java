package dev.tutti.train.checkpoint;

import dev.tutti.nn.Model;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.RunProgress;
import dev.tutti.train.replica.HeldState;
import java.util.List;
import java.util.Map;

/** The parameters and running statistics of the model that a member has built: the whole one, or a part. */
record ModelState(Model model, RunProgress runProgress) implements HeldState {
    @Override
    public boolean isDivided() {
        return !model.plan().isWhole();
    }

    @Override
    public Map<Slice, Tensor> held() {
        return model.held();
    }

    @Override
    public long version() {
        return runProgress.progress();
    }

    @Override
    public long agreed() {
        return runProgress.progress();
    }

    @Override
    public List<Slice> needed() {
        return List.copyOf(model.held().keySet());
    }

    @Override
    public Map<Slice, Tensor> makeRoom() {
        return model.held();
    }

    @Override
    public void adopt(long version) {}
}
