package dev.tutti.strategy.parallel.inference;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageTimeoutException;
import dev.tutti.comm.Team;
import dev.tutti.nn.KeyValueCache;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.strategy.parallel.Grid;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.strategy.parallel.PartPlans;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Evaluator;
import dev.tutti.train.TrainingException;
import dev.tutti.train.checkpoint.ModelDescription;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * A saved model whose parts are on the members of a group: stages of layers, slices of layers, or both. Each member reads its own slices of
 * the weights; none ever holds the whole model.
 *
 * <p>All members call {@link #open}. The first one, the front, then calls {@link #predict} any number of times and {@link #close}; the others
 * call {@link #run}, which ends when the front closes. Several batches are under way at once: a stage computes the next batch while the stages
 * behind it compute the one before.
 *
 * <p>When a member is lost, all answers that are still due fail with a message that names it, and {@link #run} ends in an exception.
 */
public final class CutModel implements AutoCloseable {
    private static final String END = "end";
    private static final String FORGET = "forget ";
    private static final String OF = " of ";
    private static final Duration GLANCE = Duration.ofMillis(200);
    private static final Duration SEND_LIMIT = Duration.ofSeconds(60);

    /** Batches that are under way at most, for each stage: one that is computed and one that waits. */
    private static final int PER_STAGE = 2;

    private final Team team;
    private final Grid grid;
    private final ModelDescription description;
    private final Model part;
    private final int stage;
    private final int slice;
    private final Map<String, CompletableFuture<List<NdArray>>> due = new ConcurrentHashMap<>();
    private final Semaphore places;
    private final Map<String, KeyValueCache> caches = new HashMap<>(); // of the sequences under way
    private RuntimeException sliceFailure;
    private volatile RuntimeException failure;
    private Thread collector;
    private long number;
    private long sequences;
    private boolean closed;

    private CutModel(Team team, Grid grid, ModelDescription description, Model part, int rank) {
        this.team = team;
        this.grid = grid;
        this.description = description;
        this.part = part;
        stage = grid.stage(rank);
        slice = grid.slice(rank);
        places = new Semaphore(PER_STAGE * grid.pipeline());
    }

    /**
     * Reads this member's part of a saved model; all members of a group that has met call it.
     *
     * @param strategy stages and slices; the members are one set
     * @throws TrainingException if the group has another number of members
     */
    public static CutModel open(Path folder, Parallel strategy, Team team) {
        Group group = team.group();
        Grid asked = strategy.grid(1);
        Grid grid = new Grid(1, asked.tensor(), asked.pipeline());
        if (group.size() != grid.members() || strategy.chunkCount() > 1) {
            throw new TrainingException("predictions of a model that is cut: expected " + grid.members()
                    + " members, one for each slice of each stage, and one chunk for each stage, received "
                    + group.size() + " members and " + strategy.chunkCount() + " chunks");
        }
        ModelDescription description = SavedModel.describe(folder, Model.Options.DEFAULT.forInference());
        ModelPlan whole = description.plan();
        PartPlans plans = new PartPlans(strategy, whole, grid, cuts(strategy, whole, grid, team));
        Model part = plans.of(group.rank()).build();
        try {
            SavedModel.readWeights(folder, part);
            part.training(false);
            CutModel model = new CutModel(team, grid, description, part, group.rank());
            model.connect();
            return model;
        } catch (RuntimeException | Error e) {
            part.close();
            throw e;
        }
    }

    /** The front measures, and tells the others where it cuts. */
    private static List<Integer> cuts(Parallel strategy, ModelPlan whole, Grid grid, Team team) {
        Group group = team.group();
        int count = PartPlans.parts(strategy, grid) - 1;
        double[] cuts = new double[Math.max(1, count)];
        if (group.rank() == 0) {
            List<Integer> found = PartPlans.findCuts(strategy, whole, grid);
            for (int i = 0; i < found.size(); i++) {
                cuts[i] = found.get(i);
            }
        }
        double[] agreed = team.collectives().sum("cuts of the model", cuts);
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add((int) Math.round(agreed[i]));
        }
        return all;
    }

    private void connect() {
        if (grid.tensor() > 1) {
            List<Integer> ranks = new ArrayList<>();
            for (int each = 0; each < grid.tensor(); each++) {
                ranks.add(grid.place(stage, each));
            }
            Collectives slices = team.collectives(team.group().sub(ranks));
            part.shareTensors(values -> sum(slices, values));
        }
        if (isFront() && grid.pipeline() > 1) {
            collector = new Thread(this::collect, "tutti-cut-model-answers");
            collector.setDaemon(true);
            collector.start();
        }
    }

    /** The engine would not carry exceptions through a pass. */
    private void sum(Collectives slices, Tensor values) {
        if (sliceFailure == null) {
            try {
                slices.allReduce("slices", values);
            } catch (RuntimeException e) {
                sliceFailure = e;
            }
        }
    }

    private boolean isFront() {
        return team.group().rank() == 0;
    }

    private boolean isLast() {
        return stage == grid.pipeline() - 1;
    }

    private Member holder(int ofStage, int ofSlice) {
        return team.group().members().get(grid.place(ofStage, ofSlice));
    }

    /** What the whole model says of itself. */
    public ModelDescription description() {
        return description;
    }

    /** Batches that can be under way at once. */
    public int batchesUnderWay() {
        return PER_STAGE * grid.pipeline();
    }

    /** The part that this member holds. */
    public Model part() {
        return part;
    }

    // ---- the front

    /**
     * Sends a batch through all stages; waits only while the first stage computes it, or as many batches as stages can take are under way.
     * One thread at a time may call.
     *
     * @return the outputs of the model
     */
    public CompletableFuture<List<NdArray>> predict(List<NdArray> inputs) {
        return predict(inputs, "");
    }

    /**
     * Begins sequences that are given step by step. Every member keeps the keys and values that its part has computed, so that each further
     * step costs one step instead of all of them.
     *
     * @throws dev.tutti.TuttiException if a layer of the model computes a step from later ones, or from earlier ones in another way than
     *     attention
     */
    public synchronized Sequence sequence() {
        KeyValueCache.of(description.plan());
        return new Sequence("sequence-" + sequences++);
    }

    /** A batch of sequences under way. */
    public final class Sequence implements AutoCloseable {
        private final String name;

        private Sequence(String name) {
            this.name = name;
        }

        /**
         * The outputs for further steps, given those before them. Steps may be given before the answers to earlier ones are there.
         *
         * @param steps {@code [batch, time]} of ids, or {@code [batch, time, width]}; any number of steps
         */
        public CompletableFuture<NdArray> predict(NdArray steps) {
            return CutModel.this.predict(List.of(steps), OF + name).thenApply(outputs -> outputs.get(0));
        }

        /** Lets all members forget the steps. */
        @Override
        public void close() {
            synchronized (CutModel.this) {
                if (!closed && failure == null) {
                    pass(FORGET + name);
                    forget(name);
                }
            }
        }
    }

    private synchronized CompletableFuture<List<NdArray>> predict(List<NdArray> inputs, String ofSequence) {
        if (!isFront() || closed) {
            throw new IllegalStateException(
                    closed
                            ? "the model is closed"
                            : "the first member sends batches, this is "
                                    + team.group().self());
        }
        places.acquireUninterruptibly();
        if (failure != null) {
            places.release();
            return CompletableFuture.failedFuture(failure);
        }
        CompletableFuture<List<NdArray>> answer = new CompletableFuture<>();
        String key = number++ + ofSequence;
        due.put(key, answer);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<Tensor> tensors = inputs.stream().map(Tensor::of).toList();
            for (int other = 1; other < grid.tensor(); other++) {
                send(holder(0, other), key, tensors);
            }
            List<Tensor> outputs = forward(key, tensors);
            if (isLast()) {
                answered(key, Evaluator.arrays(outputs));
            } else {
                send(holder(1, 0), key, outputs);
            }
        } catch (RuntimeException e) {
            fail(e);
        }
        return answer;
    }

    private void answered(String key, List<NdArray> outputs) {
        CompletableFuture<List<NdArray>> answer = due.remove(key);
        if (answer != null) {
            places.release();
            answer.complete(outputs);
        }
    }

    private void fail(RuntimeException e) {
        failure = e;
        List.copyOf(due.keySet()).forEach(key -> {
            CompletableFuture<List<NdArray>> answer = due.remove(key);
            if (answer != null) {
                places.release();
                answer.completeExceptionally(e);
            }
        });
    }

    private void collect() {
        try {
            while (true) {
                try (Message message = next(holder(grid.pipeline() - 1, 0), "answers")) {
                    if (message.text().equals(END)) {
                        return;
                    }
                    answered(message.text(), Evaluator.arrays(message.body()));
                }
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    // ---- all members

    private static String topic(int stage) {
        return "cut-model/" + stage;
    }

    private Message next(Member from, String topic) {
        while (true) {
            try {
                return team.messages().receive(from, topic, GLANCE);
            } catch (MessageTimeoutException e) {
                team.check();
            }
        }
    }

    private void send(Member to, String key, List<Tensor> tensors) {
        int toStage = grid.stage(team.group().members().indexOf(to));
        send(to, topic(toStage), key, tensors);
    }

    private void send(Member to, String topic, String key, List<Tensor> tensors) {
        List<Tensor> plain = tensors.stream().map(Tensor::contiguous).toList();
        team.messages().send(to, topic, Message.of(key, plain.toArray(Tensor[]::new)), SEND_LIMIT);
    }

    private List<Tensor> forward(String key, List<Tensor> inputs) {
        int at = key.indexOf(OF);
        List<Tensor> outputs = at < 0
                ? part.forward(inputs)
                : List.of(part.forward(
                        inputs.get(0),
                        caches.computeIfAbsent(key.substring(at + OF.length()), name -> KeyValueCache.of(part))));
        if (sliceFailure != null) {
            throw sliceFailure;
        }
        return outputs;
    }

    /**
     * Computes what the front sends, until the front closes.
     *
     * @throws MemberLostException if a member is lost
     */
    public void run() {
        Member from = stage == 0 ? holder(0, 0) : holder(stage - 1, slice);
        boolean goesOn = true;
        while (goesOn) {
            try (Message message = next(from, topic(stage));
                    Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                String text = message.text();
                goesOn = !text.equals(END);
                boolean forgets = text.startsWith(FORGET);
                if (forgets) {
                    forget(text.substring(FORGET.length()));
                }
                List<Tensor> outputs = goesOn && !forgets ? forward(text, message.body()) : List.of();
                if (!isLast()) {
                    send(holder(stage + 1, slice), text, outputs);
                } else if (slice == 0 && !forgets) {
                    send(holder(0, 0), "answers", text, outputs);
                }
            }
        }
    }

    /** Ends the members behind the front, when all answers are there; closes this member's part. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        if (isFront() && failure == null) {
            try {
                end();
            } catch (RuntimeException e) {
                fail(e); // members that are lost need not be told
            }
        }
        caches.values().forEach(KeyValueCache::close);
        part.close();
    }

    /** Tells the members that this one gives batches to, which pass it on. */
    private void pass(String order) {
        for (int other = 1; other < grid.tensor(); other++) {
            send(holder(0, other), order, List.of());
        }
        if (grid.pipeline() > 1) {
            send(holder(1, 0), order, List.of());
        }
    }

    private void forget(String sequence) {
        KeyValueCache cache = caches.remove(sequence);
        if (cache != null) {
            cache.close();
        }
    }

    private void end() {
        List<CompletableFuture<List<NdArray>>> open = List.copyOf(due.values());
        CompletableFuture.allOf(open.toArray(CompletableFuture[]::new))
                .handle((done, e) -> null)
                .join();
        pass(END);
        if (grid.pipeline() > 1) {
            try {
                collector.join(SEND_LIMIT.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
