package dev.tutti.nn;

/**
 * A layer whose settings all return its own type, in any order: {@code conv2d(8, 3).relu().stride(2)}.
 *
 * @param <L> the class itself: {@code class Scale extends FluentLayer<Scale>}
 */
public abstract class FluentLayer<L extends FluentLayer<L>> extends Layer {
    @SuppressWarnings("unchecked")
    private L self(Layer copy) {
        return (L) copy;
    }

    @Override
    public L named(String newName) {
        return self(super.named(newName));
    }

    @Override
    public L activation(Activation function) {
        return self(super.activation(function));
    }

    @Override
    public L relu() {
        return self(super.relu());
    }

    @Override
    public L gelu() {
        return self(super.gelu());
    }

    @Override
    public L silu() {
        return self(super.silu());
    }

    @Override
    public L tanh() {
        return self(super.tanh());
    }

    @Override
    public L sigmoid() {
        return self(super.sigmoid());
    }

    @Override
    public L softmax() {
        return self(super.softmax());
    }
}
