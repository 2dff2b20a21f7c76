package dev.tutti.optim;

/** Adam: each value moves by the mean of its gradients over the root of the mean of their squares. */
public final class Adam extends AdamFamily<Adam> {
    private Adam() {
        super(1e-3, 0);
    }

    static Adam defaults() {
        return new Adam();
    }

    @Override
    protected Update update(Target target) {
        return update(target, decay());
    }
}
