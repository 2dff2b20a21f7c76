package dev.tutti.tensor.vector;

import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.BlockedConvChain;
import dev.tutti.tensor.onednn.ConvChain;
import dev.tutti.tensor.onednn.PrimitiveCache;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** A {@link ConvChain} of layers, whose gradients are computed and written without the engine. */
final class ConvChainBackward extends ManualBackward {
    private final PrimitiveCache.Entry<BlockedConvChain> chain;
    private final BlockedConvChain.Result result;
    private final Function<Tensor, LargeGradient> large;
    private boolean released;

    /**
     * @param chain held for this cut, which releases it
     * @param large the gradients that backward passes overwrite; null for others, which are zero before
     */
    ConvChainBackward(
            Tensor x,
            PrimitiveCache.Entry<BlockedConvChain> chain,
            Function<Tensor, LargeGradient> large,
            ManualBackward before) {
        super(x, before);
        this.chain = chain;
        this.large = large;
        try (NoGradients off = NoGradients.begin()) {
            result = chain.primitive().forward(x);
        } catch (RuntimeException | Error e) {
            chain.release();
            throw e;
        }
        result.output().requiresGradient(true);
    }

    @Override
    Tensor output() {
        return result.output();
    }

    @Override
    boolean leavesGradient() {
        return false;
    }

    @Override
    void backward(boolean add, Consumer<Tensor> written) {
        Optional<Tensor> gradient = output().gradient();
        if (gradient.isEmpty()) {
            return; // the pass did not come here
        }
        Tensor above = gradient.get();
        boolean wanted = input().handle().requires_grad();
        Tensor below;
        try (NoGradients off = NoGradients.begin()) {
            below = chain.primitive().backward(above, result.saved(), input().shape(), wanted, new Sink(add, written));
        }
        if (wanted) {
            passOn(below);
        }
    }

    @Override
    public void close() {
        if (!released) {
            released = true;
            chain.release();
        }
    }

    private final class Sink implements GradientSink {
        private final boolean add;
        private final Consumer<Tensor> written;

        Sink(boolean add, Consumer<Tensor> written) {
            this.add = add;
            this.written = written;
        }

        @Override
        public Tensor gradient(Tensor parameter) {
            LargeGradient own = large.apply(parameter);
            return own == null ? parameter.gradient().orElseThrow() : own.view();
        }

        @Override
        public boolean adds(Tensor parameter) {
            return add || large.apply(parameter) == null;
        }

        @Override
        public void written(Tensor parameter) {
            written.accept(parameter);
        }
    }
}
