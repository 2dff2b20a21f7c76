package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.nn.Model;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;

/**
 * The running statistics of a model, such as batch norm's. They move in the forward pass, before anything is agreed on: so those
 * of the last agreement are kept, and every step ends with the mean over the members.
 */
public final class RunningStatistics implements AutoCloseable {
    private final Tensor values;
    private final Tensor kept;
    private boolean agreed;

    public RunningStatistics(Model model) {
        values = model.state().size() == 0 ? null : model.state().values();
        try (Scope scope = Scope.open()) {
            kept = values == null ? null : values.copy().retain();
        }
    }

    /** The mean over those members that had data. */
    public void average(Collectives collectives, boolean hadData, int members) {
        if (values == null || collectives.group().size() == 1) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            if (!hadData) {
                values.zero_();
            }
            collectives.allReduce("running statistics", values);
            values.mul_(1.0 / members);
        }
    }

    /** All members have agreed. */
    public void keep() {
        copy(values, kept);
        agreed = true;
    }

    /** The step under way, if there is one, was not agreed on. */
    public void restore() {
        if (agreed) {
            copy(kept, values);
        }
    }

    private static void copy(Tensor from, Tensor to) {
        if (from != null) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                to.copy_(from);
            }
        }
    }

    @Override
    public void close() {
        if (kept != null) {
            kept.close();
        }
    }
}
