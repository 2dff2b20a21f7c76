package dev.tutti.strategy.parallel;

import dev.tutti.comm.Team;
import dev.tutti.json.Definition;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.strategy.parallel.pipeline.PipelineSchedule;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Members hold parts of the model: stages of layers ({@link #pipeline}), slices of layers ({@link #tensor}), and copies of both that share
 * every batch ({@link #data}). The result is that of one machine with the whole batch, but for the order in which floats are added.
 *
 * <pre>{@code
 * trainer.fit(data, epochs(3).on(Cluster.processes(8)).with(parallel().data(2).tensor(2).pipeline(2).microBatches(8)));
 * }</pre>
 */
public final class Parallel extends Definition implements Strategy {
    private static final int MICRO_BATCHES_PER_STAGE = 4;

    private int data; // 0: as many as the members fill
    private int tensor = 1;
    private int pipeline = 1;
    private int microBatches; // 0: four for each stage
    private PipelineSchedule schedule = PipelineSchedule.ONE_F_ONE_B;
    private int chunks; // 0: two where the schedule is interleaved, else one
    private List<String> stages = List.of();
    private Map<String, String> split = Map.of();
    private boolean recompute;
    private boolean shardedState;
    private boolean flush = true;
    private double deadlineSeconds = 60;

    /** Sets of members that each hold a whole model together and train on a share of every batch; as many as there are unless said. */
    public Parallel data(int sets) {
        return copy(c -> c.data = sets);
    }

    /** Members that hold slices of the same layers. */
    public Parallel tensor(int slices) {
        return copy(c -> c.tensor = slices);
    }

    /** Stages of layers, one behind the other. */
    public Parallel pipeline(int count) {
        return copy(c -> c.pipeline = count);
    }

    /** Parts of a set's share of a batch that go through the stages one behind the other; four for each stage unless said. */
    public Parallel microBatches(int count) {
        return copy(c -> c.microBatches = count);
    }

    /** The order of passes; one forward, one backward unless said. */
    public Parallel schedule(PipelineSchedule choice) {
        return copy(c -> c.schedule = choice);
    }

    /** Chunks of layers that every stage holds where the schedule is interleaved; 2 unless said. */
    public Parallel chunks(int perStage) {
        return copy(c -> c.chunks = perStage);
    }

    /**
     * The first layers of all stages but the first, by name; with chunks, of all chunks in the order of the model. Unless said the layers are
     * measured when the members meet, and cut so that all stages take about equally long.
     */
    public Parallel stages(String... firstLayers) {
        return copy(c -> c.stages = List.of(firstLayers));
    }

    /** How the layers whose names match a pattern are sliced, instead of by rule: {@code columns}, {@code rows} or {@code whole}. */
    public Parallel split(String pattern, String how) {
        Map<String, String> more = new LinkedHashMap<>(split);
        more.put(pattern, how);
        return copy(c -> c.split = more);
    }

    /** Holds the inputs of stages alone and computes activations again on the way back: less memory, a third more time. */
    public Parallel recompute() {
        return copy(c -> c.recompute = true);
    }

    /** Divides the optimizer's state of each part among the sets. */
    public Parallel shardedState() {
        return copy(c -> c.shardedState = true);
    }

    /**
     * Moves each stage as soon as its own gradients are there, while the next step is already under way (PipeDream-2BW): stages are never
     * idle. The gradients of a step are those of the weights one update before, so the result is not that of one machine; each member holds
     * its weights three times; a change of the members loses the gradients of the steps under way.
     */
    public Parallel withoutFlush() {
        return copy(c -> c.flush = false);
    }

    /** How long a stage waits for another one before it is taken for lost; 60 s unless said. */
    public Parallel deadline(Duration limit) {
        return copy(c -> c.deadlineSeconds = limit.toMillis() / 1000.0);
    }

    /** The grid that so many members fill. */
    public Grid grid(int members) {
        int set = tensor * pipeline;
        return new Grid(data > 0 ? data : Math.max(1, members / set), tensor, pipeline);
    }

    public int microBatchCount() {
        return microBatches > 0 ? microBatches : pipeline == 1 ? 1 : MICRO_BATCHES_PER_STAGE * pipeline;
    }

    public int chunkCount() {
        return schedule != PipelineSchedule.INTERLEAVED || pipeline == 1 ? 1 : chunks == 0 ? 2 : chunks;
    }

    public PipelineSchedule schedule() {
        return schedule;
    }

    /** Where stages begin, as was said; empty where they are balanced. */
    public List<String> stages() {
        return stages;
    }

    /** How layers are sliced where that was said, by pattern of their names. */
    public Map<String, String> split() {
        return Map.copyOf(split);
    }

    /** Whether activations are computed again on the way back. */
    public boolean recomputes() {
        return recompute;
    }

    public boolean shardsState() {
        return shardedState;
    }

    /** Whether all micro-batches of a step are back before the next one begins. */
    public boolean flushes() {
        return flush;
    }

    @Override
    public boolean exact() {
        return flush;
    }

    Duration deadline() {
        return Duration.ofMillis(Math.round(deadlineSeconds * 1000));
    }

    @Override
    public boolean buildsParts() {
        return true;
    }

    @Override
    public void validate() {
        require(data >= 0, "data: expected 0 or more sets, received " + data);
        require(tensor >= 1, "tensor: expected at least 1 slice, received " + tensor);
        require(pipeline >= 1, "pipeline: expected at least 1 stage, received " + pipeline);
        require(microBatches >= 0, "microBatches: expected 1 or more, received " + microBatches);
        require(chunks >= 0, "chunks: expected 1 or more, received " + chunks);
        require(
                chunks <= 1 || schedule == PipelineSchedule.INTERLEAVED,
                "chunks: expected the schedule interleaved, received " + schedule);
        require(flush || pipeline > 1, "flush: false: expected two stages or more, received pipeline " + pipeline);
        require(
                flush || schedule == PipelineSchedule.ONE_F_ONE_B,
                "flush: false: expected the schedule 1f1b, received " + schedule);
        require(
                flush || !shardedState,
                "flush: false: expected shardedState: false, since stages move at different times");
        require(deadlineSeconds > 0, "deadlineSeconds: expected more than 0, received " + deadlineSeconds);
    }

    @Override
    public void validateFor(int workers) {
        int needed = Math.max(1, data) * tensor * pipeline;
        require(
                workers >= needed,
                "a grid of data " + Math.max(1, data) + " x tensor " + tensor + " x pipeline " + pipeline + " has "
                        + needed + " members, received " + workers);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new TrainingException("parallel: " + message);
        }
    }

    @Override
    public Replica replica(ModelPlan plan, TrainingConfig recipe, Team team, Timing timing) {
        validate();
        return new ParallelReplica(this, plan, recipe, team, timing, false);
    }

    @Override
    public Replica replicaAgain(ModelPlan plan, TrainingConfig recipe, Team team, Timing timing) {
        return new ParallelReplica(this, plan, recipe, team, timing, true);
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        throw new IllegalStateException("members build their parts of a model from its plan");
    }

    @Override
    public String toString() {
        return "parallel()"
                + (data == 0 ? "" : ".data(" + data + ")")
                + (tensor == 1 ? "" : ".tensor(" + tensor + ")")
                + (pipeline == 1 ? "" : ".pipeline(" + pipeline + ")")
                + (microBatches == 0 ? "" : ".microBatches(" + microBatches + ")")
                + (schedule == PipelineSchedule.ONE_F_ONE_B ? "" : ".schedule(" + schedule + ")")
                + (chunks == 0 ? "" : ".chunks(" + chunks + ")")
                + (stages.isEmpty() ? "" : ".stages(" + String.join(", ", stages) + ")")
                + (split.isEmpty() ? "" : ".split(" + split + ")")
                + (recompute ? ".recompute()" : "")
                + (shardedState ? ".shardedState()" : "")
                + (flush ? "" : ".withoutFlush()");
    }
}
