package dev.tutti.bench.process;

import dev.tutti.bench.harness.Plan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Several processes that are asked at the same moment; what they answer is summed. */
public final class SideBySideContender implements Contender {
    private final List<Conversation> conversations;
    private final String workload;
    private final Plan plan;

    public SideBySideContender(List<Conversation> conversations, String workload, Plan plan) {
        this.conversations = List.copyOf(conversations);
        this.workload = workload;
        this.plan = plan;
    }

    @Override
    public void prepare() {
        conversations.forEach(Conversation::begin);
        conversations.forEach(one -> one.ask(workload, plan.warmUp()));
        conversations.forEach(one -> one.answer(plan.warmUp()));
    }

    @Override
    public Map<String, Double> measure() {
        conversations.forEach(one -> one.ask(workload, plan.run()));
        Map<String, Double> sums = new HashMap<>();
        conversations.forEach(
                one -> one.answer(plan.run()).forEach((key, value) -> sums.merge(key, value, Double::sum)));
        return sums;
    }

    @Override
    public void close() {
        conversations.forEach(Conversation::close);
    }
}
