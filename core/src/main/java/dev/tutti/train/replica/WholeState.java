package dev.tutti.train.replica;

import dev.tutti.nn.Slice;
import dev.tutti.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A state of which every member holds all. Its version is the run's, which the meeting of the members compares. */
record WholeState(Map<String, Tensor> tensors) implements HeldState {
    @Override
    public boolean isDivided() {
        return false;
    }

    @Override
    public Map<Slice, Tensor> held() {
        Map<Slice, Tensor> held = new LinkedHashMap<>();
        tensors.forEach((name, tensor) -> held.put(Slice.all(name, tensor.shape()), tensor));
        return held;
    }

    @Override
    public long version() {
        return 0;
    }

    @Override
    public long agreed() {
        return 0;
    }

    @Override
    public List<Slice> needed() {
        return List.copyOf(held().keySet());
    }

    @Override
    public Map<Slice, Tensor> makeRoom() {
        return held();
    }

    @Override
    public void adopt(long version) {}
}
