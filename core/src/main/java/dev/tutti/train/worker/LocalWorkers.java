package dev.tutti.train.worker;

import dev.tutti.Experimental;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.data.Batch;
import dev.tutti.nn.Model;
import dev.tutti.nn.RecordedPass;
import dev.tutti.optim.Target;
import dev.tutti.table.RowSource;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.GradientListener;
import dev.tutti.train.Evaluator;
import dev.tutti.train.RowJoiner;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.replica.LocalReplica;
import dev.tutti.train.replica.StepResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntConsumer;

/**
 * Workers on threads of this JVM, one core each, that share the parameters and have gradients of their own.
 *
 * <p>Order of calls: for each step {@link #backward} once or more, then {@link #update} once, in which the workers sum the gradients
 * and move the parameters piece by piece. In between the {@link #gradients} may be added up with those of other processes, in place. All
 * calls come from one thread, which is the first worker.
 *
 * <p>The result depends on the number of workers, not on which of them is faster; with one worker it is that of a worker on its
 * own, bit for bit.
 */
@Experimental
public final class LocalWorkers implements AutoCloseable {
    private final List<Model> models = new ArrayList<>();
    private final TrainingConfig recipe;
    private final Target target;
    private final WorkerPool pool;
    private final DividedUpdate update;
    private WorkerSum batchSum; // null where each worker looks at its own rows alone
    private int moved; // so many workers, from the first one on, have seen rows since statistics were brought together
    private int unsummed = 1; // so many workers, from the first one on, hold gradients of the step

    /** Puts so many workers to work on a model, which remains the caller's. */
    public LocalWorkers(Model model, TrainingConfig recipe, int workers) {
        this(model, recipe, workers, model.vector().all());
    }

    /** The same, where these workers move only a range of the vector; as {@link #own}. */
    public LocalWorkers(Model model, TrainingConfig recipe, int workers, Range owned) {
        this.recipe = recipe;
        target = LocalReplica.target(model);
        models.add(model);
        for (int i = 1; i < workers; i++) {
            models.add(model.replica());
        }
        pool = new WorkerPool(workers, "tutti-worker");
        update =
                new DividedUpdate(models.stream().map(Model::vector).toList(), target, recipe.optimizer(), pool, owned);
        amongOthers(false);
    }

    /**
     * What a batch is to the step it belongs to.
     *
     * @param step the number of the step
     * @param batch how many batches of this step came before; the gradients of later ones are added to theirs
     * @param firstWorker how many workers come before ours where several processes share the step: each draws its own random
     *     numbers
     * @param divisor what the sum of the samples' gradients is divided by: the samples of the step where they are known; else
     *     1, and {@link #update} divides
     */
    public record Turn(long step, int batch, int firstWorker, double divisor) {}

    /** The first worker's model: it holds the parameters of all, and after {@link #gradients} the sum of the gradients. */
    public Model model() {
        return models.get(0);
    }

    /** Says whether there are other members whose workers have shares of the same batches. */
    public void amongOthers(boolean others) {
        models.forEach(model -> model.divided(others || workers() > 1));
    }

    /** Gets rows of tables from servers, for all workers. */
    public void rowsFrom(RowSource source) {
        models.forEach(model -> model.rowsFrom(source));
    }

    public int workers() {
        return models.size();
    }

    /**
     * Batch norm looks at the rows of all workers together.
     *
     * @param beyond sums up a tensor over other members as well, in place, in forward and backward passes; must not throw. Null: each
     *     worker looks at its own rows
     */
    public void shareBatches(Consumer<Tensor> beyond) {
        batchSum = beyond == null || workers() == 1 ? null : new WorkerSum(beyond);
        for (int i = 0; i < models.size(); i++) {
            int worker = i;
            models.get(i).shareBatches(batchSum == null ? beyond : values -> batchSum.add(worker, values));
        }
    }

    /**
     * Runs a batch forward and backward, a share of its rows on each worker; no rows give no gradients.
     *
     * @param overlap what happens to gradients that are final before the passes end
     */
    public StepResult backward(Batch batch, Turn turn, BackwardOverlap overlap) {
        update.end(); // one that a step had begun which came to nothing
        if (overlap instanceof BackwardOverlap.Tell listener) {
            return backward(batch, turn, telling(listener));
        }
        if (overlap instanceof BackwardOverlap.Update early && canBeginWith(early, batch, turn)) {
            return updating(batch, turn, early);
        }
        return backward(batch, turn, RecordedPass::backward);
    }

    private Way telling(BackwardOverlap.Tell listener) {
        if (workers() > 1) {
            throw new IllegalArgumentException("gradients of several workers are final when all of them are done");
        }
        GradientListener whenFinal = GradientListener.whenFinal(listener.ready());
        return (pass, loss, add) -> pass.backward(loss, add, whenFinal);
    }

    private boolean canBeginWith(BackwardOverlap.Update early, Batch batch, Turn turn) {
        if (turn.batch > 0) {
            throw new IllegalArgumentException("an update " + early + " cannot begin with batch " + turn.batch
                    + " of a step: expected a step of one batch");
        }
        return busy(batch) > 0 && update.canBegin();
    }

    private StepResult updating(Batch batch, Turn turn, BackwardOverlap.Update early) {
        update.begin(new DividedUpdate.Move(early.learningRate(), early.factor()), busy(batch));
        try {
            return backward(
                    batch,
                    turn,
                    (pass, loss, add) -> pass.backward(loss, add, GradientListener.whenReleased(update.leaver())));
        } catch (RuntimeException | Error e) {
            update.end();
            throw e;
        }
    }

    /** How a worker takes a loss back to gradients. */
    private interface Way {
        void backward(RecordedPass pass, Tensor loss, boolean add);
    }

    private StepResult backward(Batch batch, Turn turn, Way way) {
        recipe.loss().check(batch.labels(), model().outputs());
        if (turn.batch == 0) {
            unsummed = 1; // what is left of a step that came to nothing
        } else {
            gradients(); // only the first worker's live on from batch to batch
        }
        int busy = busy(batch);
        if (busy == 0) {
            if (turn.batch == 0) {
                zeroGradients();
            }
            return new StepResult(0, 0, List.of());
        }
        StepResult[] shares = new StepResult[busy];
        passes(busy, worker -> shares[worker] = backward(worker, batch, share(batch, worker, busy), turn, way));
        for (int i = 1; i < busy; i++) {
            model().rowGradients().add(models.get(i).rowGradients());
        }
        unsummed = busy;
        moved = Math.max(moved, busy);
        return whole(List.of(shares), batch.size());
    }

    /** How many workers have rows of a batch. */
    private int busy(Batch batch) {
        return Math.min(workers(), batch.size());
    }

    private void passes(int busy, IntConsumer pass) {
        if (batchSum != null) {
            batchSum.begin(busy);
        }
        try {
            pool.together(busy, worker -> {
                try {
                    pass(worker, pass);
                } finally {
                    update.passed();
                }
            });
        } catch (RuntimeException e) {
            // Where workers wait for each other and one fails, that is what comes out, not what others make of it.
            throw batchSum != null && batchSum.failure() instanceof RuntimeException first ? first : e;
        }
    }

    private void pass(int worker, IntConsumer pass) {
        try {
            pass.accept(worker);
            if (batchSum != null) {
                batchSum.leave();
            }
        } catch (RuntimeException | Error e) {
            if (batchSum != null) {
                batchSum.fail(e);
            }
            throw e;
        }
    }

    /** The sum of all workers' gradients of this step, in the first one's memory. */
    public Tensor gradients() {
        if (unsummed > 1) {
            List<Range> parts = target.parts(workers());
            pool.together(part -> update.sum(parts.get(part), unsummed));
            unsummed = 1;
        }
        return model().vector().written();
    }

    /**
     * The first worker writes its gradients into memory that other members read, and {@link #update} asks for the sum of all of
     * them, which must be ready: no other code adds them up.
     *
     * @param own as long as the vector; in use until this is called again. Null: as before
     * @param sum writes the sum of a range over all members; called on any worker's thread
     */
    public void shareGradients(Tensor own, BiConsumer<Range, Tensor> sum) {
        model().vector().writeGradientsTo(own);
        update.sumWith(sum);
    }

    private StepResult backward(int worker, Batch batch, Range share, Turn turn, Way way) {
        Engine.useThreads(1);
        Model model = models.get(worker);
        model.training(true);
        model.freezeAs(model());
        model.restartRandomness(recipe.seed(), turn.step, turn.batch, turn.firstWorker + worker);
        try (Scope scope = Scope.open();
                RecordedPass pass = model.record(LocalReplica.tensors(batch.features(), share, model))) {
            Tensor loss = recipe.loss().compute(pass.outputs(), LocalReplica.tensors(batch.labels(), share, model));
            double weight = share.length() / turn.divisor;
            Tensor weighted = weight == 1 ? loss : loss.mul(weight);
            way.backward(pass, weighted, turn.batch > 0 && worker == 0);
            List<NdArray> arrays = recipe.metrics().isEmpty() ? List.of() : Evaluator.arrays(pass.outputs());
            return new StepResult(loss.item(), Math.toIntExact(share.length()), arrays);
        }
    }

    private static StepResult whole(List<StepResult> shares, int size) {
        if (shares.size() == 1) {
            return shares.get(0);
        }
        double loss = 0;
        for (StepResult share : shares) {
            loss += share.loss() * share.size() / size;
        }
        List<NdArray> outputs = new ArrayList<>();
        for (int i = 0; i < shares.get(0).outputs().size(); i++) {
            List<NdArray> parts = new ArrayList<>();
            for (StepResult share : shares) {
                parts.add(share.outputs().get(i));
            }
            outputs.add(RowJoiner.concatenate(parts));
        }
        return new StepResult(loss, size, outputs);
    }

    /** The rows of a batch that are a worker's. */
    private static Range share(Batch batch, int worker, int workers) {
        return new Range(0, batch.size()).part(worker, workers);
    }

    /**
     * Lets these workers move only a range of the vector from now on, as one of several processes that divide the work. The
     * optimizer's state begins anew, and is that of the range.
     *
     * @param range cut at multiples of {@link dev.tutti.tensor.vector.FusedUpdate#BLOCK}, so that the update is the same bits
     */
    public void own(Range range) {
        update.own(range);
    }

    /** Moves the parameters by the gradients times a factor, all workers together; uses the gradients up. */
    public void update(double learningRate, double factor) {
        update(learningRate, factor, squares -> squares);
    }

    /**
     * The same, where the gradients of other ranges are elsewhere.
     *
     * @param sumOfSquares makes the squared length of all gradients of the one of ours; asked when lengths are limited
     */
    public void update(double learningRate, double factor, DoubleUnaryOperator sumOfSquares) {
        averageStatistics();
        if (update.isBegun()) {
            update.end();
        } else {
            update.apply(new DividedUpdate.Move(learningRate, factor), unsummed, sumOfSquares);
        }
        unsummed = 1;
    }

    /** There are no gradients in this step. */
    public void zeroGradients() {
        unsummed = 1;
        model().vector().zeroGradients();
        model().rowGradients().clear();
    }

    /** Multiplies the gradients. */
    public void scaleGradients(double factor) {
        gradients();
        List<Range> parts = target.parts(workers());
        pool.together(part -> {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                model().vector().gradients(parts.get(part)).mul_(factor);
            }
        });
        model().rowGradients().scale(factor);
    }

    /**
     * Brings the running statistics of those workers together that had rows; {@link #update} does so as well. Where they shared their
     * batches they are alike, and the first one, which is never without rows when another has some, has all of it.
     */
    public void averageStatistics() {
        if (model().state().size() == 0 || workers() == 1) {
            return;
        }
        if (moved > 1 && batchSum == null) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                Tensor mean = model().state().values();
                for (int i = 1; i < moved; i++) {
                    mean.add_(models.get(i).state().values());
                }
                mean.mul_(1.0 / moved);
            }
        }
        shareStatistics();
    }

    /** All workers go on from the running statistics of {@link #model}, which were averaged with others' or put back. */
    public void shareStatistics() {
        moved = 0;
        if (model().state().size() == 0) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            for (int i = 1; i < models.size(); i++) {
                models.get(i).state().values().copy_(model().state().values());
            }
        }
    }

    /** The optimizer's state of the range that is moved, all of the vector unless {@link #own} said otherwise, by name: the same as that of a worker on its own. */
    public Map<String, Tensor> state() {
        return update.state();
    }

    /** Ends the threads and frees what is not the caller's. */
    @Override
    public void close() {
        pool.close();
        shareBatches(null);
        update.close();
        model().divided(false);
        model().rowsFrom(model().tables());
        models.subList(1, models.size()).forEach(Model::close);
    }
}
