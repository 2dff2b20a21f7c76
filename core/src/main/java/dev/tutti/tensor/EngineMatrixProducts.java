package dev.tutti.tensor;

import org.bytedeco.pytorch.global.torch;

/** Products as the engine makes them: for any type and device, and the plain twin of faster ones. */
public final class EngineMatrixProducts implements MatrixProducts {
    private final Tensor weight;
    private final Tensor gradient;

    public EngineMatrixProducts(Tensor weight, Tensor gradient) {
        this.weight = weight;
        this.gradient = gradient;
    }

    @Override
    public Tensor forward(Tensor x, Tensor bias) {
        return Functions.linear(x, weight, bias == null ? null : bias.to(weight.type()));
    }

    @Override
    public Tensor toInput(Tensor above) {
        return above.matmul(weight);
    }

    @Override
    public void toWeight(Tensor above, Tensor x, boolean add) {
        NativeConversions.run("backward", () -> {
            if (above.type() != gradient.type()) {
                Tensor computed = above.transpose(0, 1).matmul(x);
                if (add) {
                    gradient.add_(computed);
                } else {
                    gradient.copy_(computed);
                }
            } else if (add) {
                gradient.handle().addmm_(above.handle().t(), x.handle());
            } else {
                torch.mm_out(gradient.handle(), above.handle().t(), x.handle());
            }
        });
    }

    @Override
    public void close() {}
}
