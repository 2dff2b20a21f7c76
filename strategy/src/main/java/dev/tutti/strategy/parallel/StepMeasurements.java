package dev.tutti.strategy.parallel;

import dev.tutti.array.NdArray;
import dev.tutti.strategy.parallel.pipeline.MicroBatch;
import dev.tutti.train.RowJoiner;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepResult;
import java.util.ArrayList;
import java.util.List;

/** What came of the micro-batches of a step, told batch by batch. A batch may have begun in the step before. */
final class StepMeasurements {
    private StepInput input;
    private final List<StepResult> ofBatch = new ArrayList<>();
    private long samples;
    private double lossSum;

    /** A step begins. */
    void begin(StepInput ofStep) {
        input = ofStep;
        samples = 0;
        lossSum = 0;
    }

    /** Forgets a batch that was not measured to its end. */
    void forget() {
        ofBatch.clear();
    }

    /** Micro-batches come in the order of their rows. */
    void add(MicroBatch micro, StepResult result) {
        samples += result.size();
        lossSum += result.loss() * result.size();
        ofBatch.add(result);
        if (micro.rows().to() == micro.batch().size()) {
            input.measured(micro.batch(), joined(micro.batch().size()));
            ofBatch.clear();
        }
    }

    private StepResult joined(int size) {
        double loss = 0;
        for (StepResult each : ofBatch) {
            loss += each.loss() * each.size() / size;
        }
        List<NdArray> outputs = new ArrayList<>();
        for (int i = 0; i < ofBatch.get(0).outputs().size(); i++) {
            int output = i;
            outputs.add(RowJoiner.concatenate(
                    ofBatch.stream().map(each -> each.outputs().get(output)).toList()));
        }
        return new StepResult(loss, size, outputs);
    }

    long samples() {
        return samples;
    }

    double lossSum() {
        return lossSum;
    }
}
