package dev.tutti.federated;

import dev.tutti.nn.Model;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.Optional;

/**
 * What is added to the gradients of every step at a client: the pull of FedProx towards the model of the round, the difference of the
 * control variates of SCAFFOLD.
 */
final class GradientCorrection implements AutoCloseable {
    private final Model model;
    private final double proximal;
    private final Tensor anchor; // null: no pull
    private final Tensor control; // null: no control variates

    /** @param global what the model's shared parameters are now */
    GradientCorrection(
            Model model, SharedParameters shared, double proximal, float[] global, Optional<float[]> control) {
        this.model = model;
        this.proximal = proximal;
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor values = model.vector().values();
            anchor = proximal > 0 ? values.copy().retain() : null;
            this.control = control.isPresent() ? inLayout(shared, control.get(), global) : null;
        }
    }

    /** The vector in the layout of the model, zeros where nothing is shared: by way of the model, which knows its layout. */
    private Tensor inLayout(SharedParameters shared, float[] vector, float[] global) {
        Tensor values = model.vector().values();
        Tensor statistics = model.state().values();
        Tensor before = values.copy();
        Tensor statisticsBefore = statistics.copy();
        values.zero_();
        shared.write(vector, model);
        Tensor laidOut = values.copy().retain();
        values.copy_(before);
        statistics.copy_(statisticsBefore);
        shared.write(global, model);
        return laidOut;
    }

    void apply() {
        if (anchor == null && control == null) {
            return;
        }
        try (NoGradients off = NoGradients.begin()) {
            Tensor gradients = model.vector().gradients();
            if (anchor != null) {
                gradients.add_(model.vector().values(), proximal).add_(anchor, -proximal);
            }
            if (control != null) {
                gradients.add_(control);
            }
        }
    }

    @Override
    public void close() {
        if (anchor != null) {
            anchor.close();
        }
        if (control != null) {
            control.close();
        }
    }
}
