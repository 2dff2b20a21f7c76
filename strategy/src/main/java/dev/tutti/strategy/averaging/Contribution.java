package dev.tutti.strategy.averaging;

/**
 * What is known of one member's part of a round when its model is weighed.
 *
 * @param samples samples it learned from; 0 for a member that had no data
 * @param loss mean loss on its own validation part; see {@link LocallyWeighted}
 * @param squaredDistance square of the distance between its model and the mean of the models; 0 where it is not needed
 * @param labels how much its labels are like those of all members, from 0 to 1; 1 where it is not needed
 * @param features how much its features are like those of all members, from 0 to 1; 1 where it is not needed
 */
public record Contribution(long samples, double loss, double squaredDistance, double labels, double features) {
    /** Whether there is a model that learned something and did not go astray. */
    public boolean isSound() {
        return samples > 0 && Double.isFinite(loss) && Double.isFinite(squaredDistance);
    }
}
