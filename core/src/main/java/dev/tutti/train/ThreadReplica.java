package dev.tutti.train;

import dev.tutti.data.Batch;
import dev.tutti.nn.Model;
import dev.tutti.tensor.Tensor;
import java.util.Map;

/**
 * Several workers on threads of this JVM: each takes its share of every batch on one core.
 *
 * <p>The result is that of one worker with the whole batch, but for the order in which floats are added and for layers that look
 * at the batch (batch norm sees its share; running statistics are averaged).
 */
final class ThreadReplica implements Replica {
    private final LocalWorkers workers;
    private int batches;
    private double samples;

    ThreadReplica(Model model, Recipe recipe, int workers) {
        this.workers = new LocalWorkers(model, recipe, workers);
    }

    @Override
    public Model model() {
        return workers.model();
    }

    @Override
    public StepResult accumulate(Batch batch, long step) {
        if (batches == 1) {
            workers.scaleGradients(samples); // from here on gradients are sums over samples, divided in update()
        }
        int divisor = batches == 0 ? batch.size() : 1;
        StepResult result = workers.backward(batch, new LocalWorkers.Turn(step, batches, 0, divisor));
        batches++;
        samples += batch.size();
        return result;
    }

    @Override
    public void update(double learningRate) {
        double factor = batches > 1 ? 1 / samples : 1;
        batches = 0;
        samples = 0;
        workers.update(learningRate, factor);
    }

    @Override
    public Map<String, Tensor> state() {
        return workers.state();
    }

    @Override
    public void close() {
        workers.close();
    }
}
