package dev.tutti.bench.process;

import dev.tutti.bench.harness.Measure;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

/** Measures how long a user waits: a new process each time, timed from its start to the end of its first step. */
public final class FirstStepContender implements Contender {
    private final Supplier<Conversation> conversations;
    private final String workload;

    public FirstStepContender(Supplier<Conversation> conversations, String workload) {
        this.conversations = conversations;
        this.workload = workload;
    }

    /** Once for nothing: the first process after a build reads its files from the disk, the others from memory. */
    @Override
    public void prepare() {
        measure();
    }

    @Override
    public Map<String, Double> measure() {
        long start = System.nanoTime();
        try (Conversation conversation = conversations.get()) {
            conversation.begin();
            conversation.run(workload, Duration.ZERO);
            return Map.of(Measure.WALL_SECONDS, (System.nanoTime() - start) / 1e9);
        }
    }

    @Override
    public void close() {
        // Each measurement ends its own process.
    }
}
