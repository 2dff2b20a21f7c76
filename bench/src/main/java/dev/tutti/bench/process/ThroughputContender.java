package dev.tutti.bench.process;

import dev.tutti.bench.harness.Plan;
import java.util.Map;

/** Stays alive for the whole race, so that what is measured is the steady state. */
public final class ThroughputContender implements Contender {
    private final Conversation conversation;
    private final String workload;
    private final Plan plan;

    public ThroughputContender(Conversation conversation, String workload, Plan plan) {
        this.conversation = conversation;
        this.workload = workload;
        this.plan = plan;
    }

    @Override
    public void prepare() {
        conversation.begin();
        conversation.run(workload, plan.warmUp());
    }

    @Override
    public Map<String, Double> measure() {
        return conversation.run(workload, plan.run());
    }

    @Override
    public void close() {
        conversation.close();
    }
}
