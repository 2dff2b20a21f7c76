package dev.tutti.bench.process;

import dev.tutti.bench.harness.Plan;
import java.util.Map;
import java.util.function.Supplier;

/** Starts and warms up its processes for each measurement, so that while others are measured there are none. */
public final class FreshContender implements Contender {
    /** How many warm-ups it gets: several JVMs that are compiling share the cores, and real trainings last longer than seconds. */
    private static final int WARM_UPS = 3;

    private final Supplier<Conversation> conversations;
    private final String workload;
    private final Plan plan;

    public FreshContender(Supplier<Conversation> conversations, String workload, Plan plan) {
        this.conversations = conversations;
        this.workload = workload;
        this.plan = plan;
    }

    /** Nothing: each measurement has a warm-up of its own. */
    @Override
    public void prepare() {}

    @Override
    public Map<String, Double> measure() {
        try (Conversation conversation = conversations.get()) {
            conversation.begin();
            conversation.run(workload, plan.warmUp().multipliedBy(WARM_UPS));
            return conversation.run(workload, plan.run());
        }
    }

    @Override
    public void close() {
        // Each measurement ends its own process.
    }
}
