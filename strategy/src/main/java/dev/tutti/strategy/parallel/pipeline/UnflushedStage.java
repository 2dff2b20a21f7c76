package dev.tutti.strategy.parallel.pipeline;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Runs micro-batches through one stage without a flush between steps: while the last micro-batches of a step are on their way back, those of
 * the next one are on their way forward.
 *
 * <p>Time is counted in ticks of one pass forward and one backward. In tick {@code t} stage {@code s} of {@code K} runs the micro-batch {@code
 * t - s} forward and {@code t - 2(K - 1) + s} backward, so what a pass needs was given in the tick before, and members that agree at the end
 * of every step do not wait for each other. At the end of a step {@code s} micro-batches have not been forward on this stage, and {@code 2(K -
 * 1 - s)} are between forward and backward.
 *
 * <p>There are two copies of the weights (PipeDream-2BW, Narayanan and others, 2020). The micro-batches of a step run forward and backward on
 * one copy, those of the next step on the other; a step is complete before the one after the next begins.
 */
public final class UnflushedStage {
    /** What happens to the copies of the weights. */
    public interface Weights {
        /** The first pass of a step is about to run on a copy, on which no pass is under way. */
        void begin(int copy);

        /** All passes of a step are over: its gradients are in its copy, unless it had no micro-batches here. */
        void complete(int copy, StageRunner.Step step);
    }

    /** A step under way. */
    private static final class Round {
        private final StageRunner.Step step;
        private final int copy;
        private int forward;
        private int backward;

        Round(StageRunner.Step step, int copy) {
            this.step = step;
            this.copy = copy;
        }

        int size() {
            return step.microBatches().size();
        }
    }

    private final List<StageRunner> copies;
    private final Weights weights;
    private final int stage;
    private final int ahead;
    private final Deque<Round> rounds = new ArrayDeque<>(); // the oldest first, two at most
    private int nextCopy;
    private int mostAlive;

    /**
     * A stage without passes under way.
     *
     * @param copies runners of the two copies of this stage's part of the model
     */
    public UnflushedStage(List<StageRunner> copies, Weights weights, int stage, int stages) {
        this.copies = List.copyOf(copies);
        this.weights = weights;
        this.stage = stage;
        ahead = 2 * (stages - 1 - stage);
    }

    /** Runs as many passes as a step has, and completes the step before it. */
    public void run(StageRunner.Step step) {
        rounds.add(new Round(step, nextCopy));
        nextCopy = 1 - nextCopy;
        while (waiting() > stage) {
            forward();
            retire(ahead);
        }
        while (rounds.size() > 1) {
            if (rounds.peek().forward < rounds.peek().size()) {
                forward();
            } else if (rounds.peek().backward < rounds.peek().size()) {
                backward();
            } else {
                completed();
            }
        }
    }

    /** Runs everything that is under way to its end: a flush. */
    public void drain() {
        while (waiting() > 0) {
            forward();
            retire(ahead);
        }
        retire(0);
        while (!rounds.isEmpty()) {
            completed();
        }
    }

    /** Forgets everything that is under way. */
    public void forget() {
        rounds.clear();
        copies.forEach(StageRunner::forget);
    }

    /** The most micro-batches that were forward and not yet backward at once. */
    public int mostAlive() {
        return mostAlive;
    }

    private int waiting() {
        return rounds.stream().mapToInt(round -> round.size() - round.forward).sum();
    }

    private int flying() {
        return rounds.stream().mapToInt(round -> round.forward - round.backward).sum();
    }

    private void forward() {
        for (Round round : rounds) {
            if (round.forward < round.size()) {
                StageRunner runner = copies.get(round.copy);
                if (round.forward == 0) {
                    weights.begin(round.copy);
                }
                runner.forward(ScheduleSlot.forward(0, round.forward), round.step);
                round.forward++;
                mostAlive = Math.max(mostAlive, flying());
                return;
            }
        }
    }

    private void retire(int left) {
        while (flying() > left) {
            backward();
        }
    }

    private void backward() {
        Round round = rounds.peek();
        if (round.backward == round.size()) { // a step without micro-batches on this stage
            completed();
            backward();
            return;
        }
        copies.get(round.copy).backward(ScheduleSlot.backward(0, round.backward), round.step, round.backward > 0);
        round.backward++;
        if (round.backward == round.size()) {
            completed();
        }
    }

    private void completed() {
        Round round = rounds.remove();
        weights.complete(round.copy, round.step);
    }
}
