package dev.tutti.strategy.parallel.pipeline;

import dev.tutti.comm.Message;
import dev.tutti.data.Batch;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Model;
import dev.tutti.nn.RecordedPass;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Evaluator;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.StepResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Runs the slots of one stage: takes what the stage before has given, runs a chunk forward or backward, gives the result on. The stage with
 * the last part of the model computes the loss.
 *
 * <p>Gradients are added up in the model's vector, each micro-batch's weighed by its rows.
 */
public final class StageRunner {
    private final Model model;
    private final Loss loss;
    private final StageLinks links;
    private final Timing timing;
    private final int stage;
    private final int stages;
    private final boolean recompute;
    private final boolean wantsOutputs;
    private final Runnable check;
    private final Map<String, Flight> flights = new HashMap<>();
    private int mostAlive;

    /** A micro-batch that went forward through a chunk and not yet backward. */
    private static final class Flight {
        private final Scope scope;
        private Message received; // null for the first part
        private List<Tensor> inputs = List.of();
        private RecordedPass pass; // null where the chunk is run again on the way back
        private Tensor loss; // of the last part

        Flight(Scope scope) {
            this.scope = scope;
        }

        void close() {
            if (pass != null) {
                pass.close();
            }
            scope.close();
            if (received != null) {
                received.close();
            }
        }
    }

    /**
     * What a step is made of.
     *
     * @param randomness what random numbers follow from, with the number of the micro-batch
     * @param divisor what the sum of the rows' gradients is divided by
     * @param measured takes what came of each micro-batch, on the stage with the loss
     */
    public record Step(
            long number,
            List<MicroBatch> microBatches,
            long[] randomness,
            double divisor,
            BiConsumer<MicroBatch, StepResult> measured) {}

    /**
     * A runner for one stage.
     *
     * @param recompute whether activations are not held but computed again on the way back
     * @param wantsOutputs whether results are measured with the outputs of the model
     * @param check throws what went wrong inside of a pass, which cannot throw by itself
     */
    public StageRunner(
            Model model,
            Loss loss,
            StageLinks links,
            Timing timing,
            int stage,
            int stages,
            boolean recompute,
            boolean wantsOutputs,
            Runnable check) {
        this.check = check;
        this.model = model;
        this.loss = loss;
        this.links = links;
        this.timing = timing;
        this.stage = stage;
        this.stages = stages;
        this.recompute = recompute;
        this.wantsOutputs = wantsOutputs;
    }

    private int part(int chunk) {
        return chunk * stages + stage;
    }

    private boolean isLast(int part) {
        return part == stages * model.chunks() - 1;
    }

    /** Whether this stage computes the loss. */
    public boolean speaks() {
        return stage == stages - 1;
    }

    /** The most micro-batches that were forward and not yet backward at once, in all steps so far. */
    public int mostAlive() {
        return mostAlive;
    }

    /** Closes what passes that are under way hold. */
    void forget() {
        flights.values().forEach(Flight::close);
        flights.clear();
    }

    /** Runs all slots of this stage; afterwards the vector holds the gradients of the step. */
    public void run(ScheduleTable table, Step step) {
        model.training(true);
        model.divided(true);
        boolean first = true;
        if (model.chunks() > 1 || step.microBatches().isEmpty()) {
            zeroGradients();
            first = false;
        }
        try {
            for (ScheduleSlot slot : table.of(stage)) {
                if (slot.backward()) {
                    backward(slot, step, !first);
                    first = false;
                } else {
                    forward(slot, step);
                }
            }
        } finally {
            forget();
        }
    }

    private void zeroGradients() {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            model.vector().zeroGradients();
        }
    }

    private static String key(Step step, int microBatch) {
        return "step " + step.number() + ", micro-batch " + microBatch;
    }

    private void restartRandomness(Step step, int microBatch) {
        long[] keys = new long[step.randomness().length + 1];
        System.arraycopy(step.randomness(), 0, keys, 0, keys.length - 1);
        keys[keys.length - 1] = keys[keys.length - 2];
        keys[keys.length - 2] = microBatch;
        model.restartRandomness(keys);
    }

    /** Runs a chunk forward; the model is in training mode. */
    void forward(ScheduleSlot slot, Step step) {
        int part = part(slot.chunk());
        MicroBatch micro = step.microBatches().get(slot.microBatch());
        Scope scope = Scope.open();
        Flight flight = new Flight(scope);
        try {
            flight.inputs = part == 0 ? micro.features() : received(flight, part, key(step, slot.microBatch()));
            long began = System.nanoTime();
            restartRandomness(step, slot.microBatch());
            List<Tensor> outputs;
            if (recompute && !isLast(part)) {
                try (NoGradients off = NoGradients.begin()) {
                    outputs = model.forward(slot.chunk(), flight.inputs);
                }
            } else {
                flight.pass = model.record(slot.chunk(), flight.inputs, part > 0);
                outputs = flight.pass.outputs();
            }
            if (isLast(part)) {
                measure(flight, micro, outputs, step);
            }
            timing.record(Phase.COMPUTE, began);
            if (!isLast(part)) {
                give(false, part + 1, key(step, slot.microBatch()), outputs);
            }
        } catch (RuntimeException | Error e) {
            scope.setAside();
            flight.close();
            throw e;
        }
        scope.setAside();
        flights.put(slot.chunk() + "/" + slot.microBatch(), flight);
        mostAlive = Math.max(mostAlive, flights.size());
        check.run();
    }

    private List<Tensor> received(Flight flight, int part, String key) {
        long began = System.nanoTime();
        flight.received = links.receive(false, part - 1, part, key);
        timing.record(Phase.WAIT, began);
        return flight.received.body();
    }

    private void give(boolean backward, int toPart, String key, List<Tensor> tensors) {
        long began = System.nanoTime();
        links.send(backward, toPart, key, tensors);
        timing.record(Phase.WIRE, began);
    }

    private void measure(Flight flight, MicroBatch micro, List<Tensor> outputs, Step step) {
        Batch batch = micro.batch();
        loss.check(batch.labels(), model.plan().whole().outputs());
        Tensor mean = loss.compute(outputs, micro.labels());
        flight.loss = mean.mul(micro.size() / step.divisor());
        step.measured()
                .accept(
                        micro,
                        new StepResult(
                                mean.item(), micro.size(), wantsOutputs ? Evaluator.arrays(outputs) : List.of()));
    }

    /**
     * Runs a chunk backward.
     *
     * @param add whether its gradients are added to those in the vector; else they replace them
     */
    void backward(ScheduleSlot slot, Step step, boolean add) {
        int part = part(slot.chunk());
        String key = key(step, slot.microBatch());
        Flight flight = flights.remove(slot.chunk() + "/" + slot.microBatch());
        Message received = null;
        try (Scope scope = Scope.open()) {
            if (!isLast(part)) {
                long began = System.nanoTime();
                received = links.receive(true, part + 1, part, key);
                timing.record(Phase.WAIT, began);
            }
            long began = System.nanoTime();
            if (flight.pass == null) {
                flight.pass = again(slot, step, flight.inputs, part);
            }
            if (isLast(part)) {
                flight.pass.backward(flight.loss, add);
            } else {
                flight.pass.backward(gradients(flight.pass.outputs(), received.body()), add);
            }
            timing.record(Phase.COMPUTE, began);
            if (part > 0) {
                give(true, part - 1, key, inputGradients(flight));
            }
        } finally {
            flight.close();
            if (received != null) {
                received.close();
            }
        }
        check.run();
    }

    /** Runs a chunk forward once more; running statistics have moved the first time. */
    private RecordedPass again(ScheduleSlot slot, Step step, List<Tensor> inputs, int part) {
        restartRandomness(step, slot.microBatch());
        Tensor moved;
        try (NoGradients off = NoGradients.begin()) {
            moved = model.state().size() == 0 ? null : model.state().values().copy();
        }
        RecordedPass pass = model.record(slot.chunk(), inputs, part > 0);
        if (moved != null) {
            try (NoGradients off = NoGradients.begin()) {
                model.state().values().copy_(moved);
            }
        }
        return pass;
    }

    /** One gradient for each output; whole numbers have none, and get zeros that are not looked at. */
    private static List<Tensor> gradients(List<Tensor> outputs, List<Tensor> received) {
        List<Tensor> all = new ArrayList<>();
        int next = 0;
        for (Tensor output : outputs) {
            all.add(output.type().isFloating() ? received.get(next++) : output);
        }
        return all;
    }

    private static List<Tensor> inputGradients(Flight flight) {
        List<Tensor> gradients = new ArrayList<>();
        for (int i = 0; i < flight.inputs.size(); i++) {
            flight.pass.inputGradient(i).ifPresent(gradients::add);
        }
        return gradients;
    }

    /**
     * Runs a batch through all parts without learning; several may be under way, since stages do not wait for those behind them.
     *
     * @param number tells batches apart
     * @return the outputs, on the stage that speaks
     */
    public Optional<List<Tensor>> predict(Batch batch, long number) {
        model.training(false);
        String key = "batch " + number;
        List<Tensor> outputs = List.of();
        for (int chunk = 0; chunk < model.chunks(); chunk++) {
            int part = part(chunk);
            MicroBatch whole = MicroBatch.of(batch, 1).get(0);
            try (Message received = part == 0 ? Message.of("") : links.receive(false, part - 1, part, key)) {
                outputs = model.forward(chunk, part == 0 ? whole.features() : received.body());
                check.run();
                if (!isLast(part)) {
                    links.send(false, part + 1, key, outputs);
                } else {
                    return Optional.of(outputs.stream()
                            .map(each -> received.body().stream().anyMatch(each::isSame) ? each.copy() : each)
                            .toList());
                }
            }
        }
        return Optional.empty();
    }
}
