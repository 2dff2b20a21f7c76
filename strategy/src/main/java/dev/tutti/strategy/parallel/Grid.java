package dev.tutti.strategy.parallel;

import dev.tutti.train.TrainingException;

/**
 * How many members there are along each axis.
 *
 * @param data sets of members that each hold a whole model together and train on a share of every batch
 * @param tensor members that hold slices of the same layers
 * @param pipeline stages of layers
 */
public record Grid(int data, int tensor, int pipeline) {
    public Grid {
        if (data < 1 || tensor < 1 || pipeline < 1) {
            throw new TrainingException("parallel: expected at least 1 member along each axis, received data " + data
                    + ", tensor " + tensor + ", pipeline " + pipeline);
        }
    }

    /** Members that hold a whole model together. */
    public int set() {
        return tensor * pipeline;
    }

    public int members() {
        return data * set();
    }

    /** The stage of a place within a set; neighbouring places hold slices of the same stage. */
    public int stage(int place) {
        return place / tensor;
    }

    /** Which slice of its stage a place holds. */
    public int slice(int place) {
        return place % tensor;
    }

    /** The place that holds a slice of a stage. */
    public int place(int stage, int slice) {
        return stage * tensor + slice;
    }

    /** The largest grid of no larger axes that so many members can fill: fewer sets, then fewer stages, then fewer slices. */
    public Grid within(int members) {
        if (members >= set()) {
            return new Grid(Math.min(data, members / set()), tensor, pipeline);
        }
        if (members >= tensor) {
            return new Grid(1, tensor, members / tensor);
        }
        int slices = tensor;
        while (slices > members || tensor % slices != 0) {
            slices--;
        }
        return new Grid(1, slices, 1);
    }

    @Override
    public String toString() {
        return "data " + data + " x tensor " + tensor + " x pipeline " + pipeline;
    }
}
