package dev.tutti.plan;

/**
 * An outermost layer of a model, measured.
 *
 * @param parameters elements it learns
 * @param forward seconds of the forward pass of a batch of the profile, as a share of the whole step's computing
 * @param backward the same of the backward pass
 * @param outputBytes that it gives to the next layer for each row
 */
public record LayerProfile(String name, long parameters, double forward, double backward, long outputBytes) {
    /** The share of the step's computing that is this layer's. */
    public double share() {
        return forward + backward;
    }
}
