package dev.tutti.train.replica;

import dev.tutti.nn.Slice;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Map;

/**
 * What a member holds of a state that the next step depends on: named slices with a version. The whole state is what all members need
 * together; a slice may have several holders, and then has the same bits on all of them.
 *
 * <p>Between steps the slices may be read, to save them, and written, to restore them. When the members have met, {@link
 * StateRedistribution} finds for each slice that a member needs its newest holder: it reads {@link #held}, writes what {@link #makeRoom}
 * gives, and calls {@link #adopt}. Until then the slices held before stay as they are, so a redistribution that fails leaves no trace.
 */
public interface HeldState {
    /** All of a state on every member. */
    static HeldState whole(Map<String, Tensor> tensors) {
        return new WholeState(tensors);
    }

    /** Whether members hold different slices; the same on all of them. If not, every member holds all. */
    boolean isDivided();

    /** The slices that are here, in views of the memory in which they lie; they belong to this state or to the open scope. */
    Map<Slice, Tensor> held();

    /** How many updates the slices that are here have seen. */
    long version();

    /** How many updates this member knows all members to have finished. */
    long agreed();

    /** The slices that must be here before the next step. */
    List<Slice> needed();

    /** Memory for {@link #needed}, in their order: zeros, or that of {@link #held} where what is needed is what is held. */
    Map<Slice, Tensor> makeRoom();

    /** The memory that {@link #makeRoom} gave has been written: from now on it is what is held, and has seen so many updates. */
    void adopt(long version);
}
