package dev.tutti.strategy.compression;

import dev.tutti.tensor.Tensor;

/**
 * What one member has not sent yet of its gradients: it is added to those of the next step, so nothing is lost for good.
 *
 * <p>Whether a step was agreed on is not known when it ends here, since it may fail for others. So what is left after a step
 * stands beside what was left before it, until the number of the next step tells which of the two counts.
 */
final class ErrorBuffer implements AutoCloseable {
    private Tensor settled;
    private Tensor open;
    private long openStep = Long.MAX_VALUE;

    /** The gradients and what was left of earlier ones; the caller takes off what it sends, in place. */
    Tensor with(Tensor gradients, long step) {
        if (settled == null) {
            settled = Tensor.zeros(gradients.shape(), gradients.type()).retain();
            open = Tensor.zeros(gradients.shape(), gradients.type()).retain();
        }
        if (step > openStep) {
            Tensor before = settled;
            settled = open;
            open = before;
        }
        openStep = step;
        return open.copy_(settled).add_(gradients);
    }

    @Override
    public void close() {
        if (settled != null) {
            settled.close();
            open.close();
            settled = null;
        }
    }
}
