package dev.tutti.optim;

/** Adam with weight decay taken straight from the values, where the means of the gradients do not see it. */
public final class AdamW extends AdamFamily<AdamW> {
    private AdamW() {
        super(1e-3, 0.01);
    }

    static AdamW defaults() {
        return new AdamW();
    }

    @Override
    protected Update update(Target target) {
        return update(target, decoupledDecay());
    }
}
