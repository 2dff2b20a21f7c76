package dev.tutti.train.replica;

import dev.tutti.array.NdArray;
import java.util.List;

/** What came of one batch: its mean loss, its size and, where metrics want them, the model's outputs. */
public record StepResult(double loss, int size, List<NdArray> outputs) {}
