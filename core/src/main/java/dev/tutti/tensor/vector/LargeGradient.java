package dev.tutti.tensor.vector;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.tensor.MatrixProducts;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.Optional;

/**
 * The gradient of a large parameter, which is cheaper to copy into the vector once than to add to zeros there.
 *
 * <p>During a backward pass the engine may keep the gradient where it was computed; afterwards it is taken over, and the
 * parameter accumulates into the vector again as all others do.
 */
public final class LargeGradient {
    /** Smaller ones are not worth the extra calls. */
    public static final long LEAST = 1 << 16;

    private final Range range;
    private final Tensor parameter;
    private final Tensor view;
    private Tensor copy; // of the values, in the type that is multiplied in; null where that is the parameter's own
    private MatrixProducts copyProducts;
    private MatrixProducts products; // made when first asked for: what is only evaluated never needs them

    LargeGradient(Range range, Tensor parameter, Tensor view) {
        this.range = range;
        this.parameter = parameter;
        this.view = view;
    }

    Range range() {
        return range;
    }

    Tensor parameter() {
        return parameter;
    }

    /** Where the gradient is kept; its memory may change. */
    Tensor view() {
        return view;
    }

    /** The parameter's products, which write its gradient straight into the vector. */
    MatrixProducts products() {
        if (products == null) {
            products = MatrixProducts.of(parameter, view);
        }
        return products;
    }

    /**
     * The same with a copy of the parameter's values in another type, brought up to date: once for each pass. Passes that are open at
     * once share the copy, since values do not change in between.
     */
    MatrixProducts products(DType type) {
        if (type == parameter.type()) {
            return products();
        }
        if (copy == null) {
            copy = Tensor.empty(parameter.shape(), type).retain();
            copyProducts = MatrixProducts.of(copy, view);
        }
        copy.copy_(parameter.detach());
        return copyProducts;
    }

    void leaveToTheEngine() {
        parameter.dropGradient();
    }

    void takeOver(boolean add) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Optional<Tensor> computed = parameter.gradient();
            if (computed.isPresent() && add) {
                view.add_(computed.get());
            } else if (computed.isPresent()) {
                view.copy_(computed.get());
            } else if (!add) {
                view.zero_(); // frozen, or not used in this pass
            }
            parameter.accumulateInto(view);
        }
    }

    void close() {
        if (products != null) {
            products.close();
        }
        if (copy != null) {
            copyProducts.close();
            copy.close();
        }
        view.close();
    }
}
