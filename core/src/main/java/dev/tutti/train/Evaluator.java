package dev.tutti.train;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Group;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Chunk;
import dev.tutti.data.Dataset;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.feed.ChunkHolders;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.PartForward;
import dev.tutti.train.replica.StepResult;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Runs data through a model without learning. */
public final class Evaluator {
    /** Batch size for data that does not say its own. */
    private static final int DEFAULT_BATCH = 256;

    private static final int READ_AHEAD = 2;

    /** Batches that wait for the answer of a model elsewhere. */
    private static final int MOST_ASKED = 64;

    private Evaluator() {}

    /** Members that evaluate hear of each other now and then: a call waits for some batches of a slow one, not for all of them. */
    private static final class Company {
        private static final int BATCHES = 8;

        private final Agreement agreement;
        private int batches;

        Company(Agreement agreement) {
            this.agreement = agreement;
        }

        void batchDone() {
            if (++batches % BATCHES == 0) {
                someAreAtWork(true);
            }
        }

        /** Returns when all have come here. */
        void allDone() {
            while (someAreAtWork(false)) {
                continue;
            }
        }

        private boolean someAreAtWork(boolean mine) {
            return agreement.any("evaluation under way", mine)[0];
        }
    }

    /**
     * Loss and metrics over all of the data, divided among the members batch by batch. The same bits as one member alone would
     * get, on every one of them: batches are the same, and sums are exact.
     */
    static Totals evaluate(Model model, TrainingConfig recipe, Dataset data, Group group, Agreement agreement) {
        if (group.size() == 1) {
            return evaluate(model, recipe, data);
        }
        Dataset whole = prepared(data);
        Company company = new Company(agreement);
        if (data.isSupplied()) {
            List<Chunk> mine = ChunkHolders.divide(agreement, group, whole.parts(0));
            return all(agreement, company, recipe, evaluate(model, recipe, whole, mine, company::batchDone));
        }
        long batch = whole.batchSize().orElseThrow();
        Dataset share = whole.stripe(batch * group.size(), batch * group.rank(), batch * (group.rank() + 1));
        return all(
                agreement,
                company,
                recipe,
                evaluate(model, recipe.loss(), recipe.metrics(), share, company::batchDone));
    }

    /** The same where members hold parts of the model: sets of members that hold all of it together take turns with the batches. */
    static Totals evaluate(PartForward parts, Model model, TrainingConfig recipe, Dataset data, Agreement agreement) {
        Company company = new Company(agreement);
        Totals totals = new Totals(recipe.metrics());
        if (parts.set() >= 0) {
            Dataset whole = prepared(data);
            long batch = whole.batchSize().orElseThrow();
            Dataset share = whole.stripe(batch * parts.sets(), batch * parts.set(), batch * (parts.set() + 1));
            BiConsumer<Batch, List<Tensor>> adding =
                    adding(model.plan().whole(), recipe.loss(), recipe.metrics(), totals, () -> {});
            model.training(false);
            try (BatchReader reader = share.open(0);
                    NoGradients off = NoGradients.begin()) {
                for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                    try (Scope scope = Scope.open()) {
                        Batch rows = next.get();
                        parts.run(rows).ifPresent(outputs -> adding.accept(rows, outputs));
                    }
                    company.batchDone();
                }
            }
        }
        return all(agreement, company, recipe, totals);
    }

    /** Parts of the data one after the other: rows that each member supplies cannot be divided batch by batch. */
    private static Totals evaluate(
            Model model, TrainingConfig recipe, Dataset data, List<Chunk> chunks, Runnable batchDone) {
        Totals totals = new Totals(recipe.metrics());
        for (Chunk chunk : chunks) {
            try (BatchReader reader = data.open(0, chunk)) {
                forEach(model, reader, adding(model.plan(), recipe.loss(), recipe.metrics(), totals, batchDone));
            }
        }
        return totals;
    }

    private static Totals all(Agreement agreement, Company company, TrainingConfig recipe, Totals own) {
        company.allDone();
        Totals all = new Totals(recipe.metrics());
        for (Map<String, NdArray> each : agreement.arrays("evaluation", own.snapshot())) {
            Totals part = new Totals(recipe.metrics());
            part.restore(each);
            all.merge(part);
        }
        return all;
    }

    /** Loss and metrics over all of the data. */
    static Totals evaluate(Model model, TrainingConfig recipe, Dataset data) {
        return evaluate(model, recipe.loss(), recipe.metrics(), data);
    }

    /** Loss and metrics over all of the data, as sums that can be merged with those of others exactly. */
    public static Totals evaluate(Model model, Loss loss, List<Metric> metrics, Dataset data) {
        return evaluate(model, loss, metrics, data, () -> {});
    }

    private static Totals evaluate(Model model, Loss loss, List<Metric> metrics, Dataset data, Runnable batchDone) {
        Totals totals = new Totals(metrics);
        forEach(model, data, adding(model.plan(), loss, metrics, totals, batchDone));
        return totals;
    }

    private static BiConsumer<Batch, List<Tensor>> adding(
            ModelPlan model, Loss loss, List<Metric> metrics, Totals totals, Runnable batchDone) {
        return (batch, outputs) -> {
            loss.check(batch.labels(), model.outputs());
            List<Tensor> labels = batch.labels().stream()
                    .map(array -> Tensor.of(array, model.options().device()))
                    .toList();
            double value = loss.compute(outputs, labels).item();
            List<NdArray> arrays = metrics.isEmpty() ? List.of() : arrays(outputs);
            totals.add(new StepResult(value, batch.size(), arrays), batch.labels());
            batchDone.run();
        };
    }

    /**
     * Loss and metrics over all of the data, by a model that computes elsewhere.
     *
     * @param model answers batches in any order, several at a time
     */
    public static Totals evaluate(
            ModelPlan plan,
            Loss loss,
            List<Metric> metrics,
            Dataset data,
            Function<List<NdArray>, CompletableFuture<List<NdArray>>> model) {
        Totals totals = new Totals(metrics);
        BiConsumer<Batch, List<Tensor>> adding = adding(plan, loss, metrics, totals, () -> {});
        forEach(data, model, (batch, outputs) -> {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                adding.accept(batch, outputs.stream().map(Tensor::of).toList());
            }
        });
        return totals;
    }

    /** Hands each batch with the outputs of a model that computes elsewhere to the consumer, in the order of the data. */
    public static void forEach(
            Dataset data,
            Function<List<NdArray>, CompletableFuture<List<NdArray>>> model,
            BiConsumer<Batch, List<NdArray>> consumer) {
        record Asked(Batch batch, CompletableFuture<List<NdArray>> outputs) {}
        Deque<Asked> asked = new ArrayDeque<>();
        try (BatchReader reader = prepared(data).open(0)) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                asked.add(new Asked(next.get(), model.apply(next.get().features())));
                while (!asked.isEmpty() && (asked.peek().outputs.isDone() || asked.size() > MOST_ASKED)) {
                    consumer.accept(asked.peek().batch, asked.remove().outputs.join());
                }
            }
            while (!asked.isEmpty()) {
                consumer.accept(asked.peek().batch, asked.remove().outputs.join());
            }
        }
    }

    /** Hands each batch with the model's outputs to the consumer; the outputs live only during that call. */
    static void forEach(Model model, Dataset data, BiConsumer<Batch, List<Tensor>> consumer) {
        try (BatchReader reader = prepared(data).open(0)) {
            forEach(model, reader, consumer);
        }
    }

    private static void forEach(Model model, BatchReader reader, BiConsumer<Batch, List<Tensor>> consumer) {
        model.training(false);
        try (NoGradients off = NoGradients.begin()) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                Batch batch = next.get();
                try (Scope scope = Scope.open()) {
                    List<Tensor> inputs = batch.features().stream()
                            .map(array -> Tensor.of(array, model.options().device()))
                            .toList();
                    consumer.accept(batch, model.forward(inputs));
                }
            }
        }
    }

    /** Data ready to be read: in batches, read ahead on another thread. */
    static Dataset prepared(Dataset data) {
        Dataset batched = data.batchSize().isPresent() ? data : data.batch(DEFAULT_BATCH);
        return batched.prefetch() > 0 ? batched : batched.prefetch(READ_AHEAD);
    }

    public static List<NdArray> arrays(List<Tensor> tensors) {
        return tensors.stream().map(Tensor::toArray).toList();
    }
}
