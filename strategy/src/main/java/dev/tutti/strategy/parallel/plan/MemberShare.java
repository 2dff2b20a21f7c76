package dev.tutti.strategy.parallel.plan;

import java.util.List;

/**
 * What one member of a grid holds and sends.
 *
 * @param member its number
 * @param set its data-parallel set
 * @param stage its stage of the pipeline
 * @param slice its slice of the layers
 * @param layers the outermost layers that it holds, or slices of them
 * @param slices what it holds of parameters that are sliced, in words
 * @param parameters elements
 * @param parameterBytes of values
 * @param gradientBytes of gradients
 * @param stateBytes of the optimizer's state
 * @param activationsAlive micro-batches whose activations it holds at once, at most
 * @param stageBytes that it sends to neighbouring stages in a step: activations and their gradients
 * @param summedBytes that it sums with the other slices of its stage in a step
 * @param gradientSumBytes that it sums with the other sets in a step
 */
public record MemberShare(
        int member,
        int set,
        int stage,
        int slice,
        List<String> layers,
        List<String> slices,
        long parameters,
        long parameterBytes,
        long gradientBytes,
        long stateBytes,
        int activationsAlive,
        long stageBytes,
        long summedBytes,
        long gradientSumBytes) {
    /** Parameters, gradients and state. */
    public long bytes() {
        return parameterBytes + gradientBytes + stateBytes;
    }
}
