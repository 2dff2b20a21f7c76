package dev.tutti.spark.launch;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Evaluation;
import dev.tutti.train.callback.Run;
import java.util.List;
import java.util.Map;

/**
 * What the chief tells the driver: an event of the run, and how the run stands.
 *
 * @param kind what happened
 * @param result of the epoch that ended; null for other events
 * @param failure why training fails, or why a demand was not met; null otherwise
 * @param restored what callbacks remember, from the checkpoint that the chief has gone on from
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RunReport(
        Kind kind,
        int epoch,
        int epochs,
        long step,
        long stepOfEpoch,
        long stepsPerEpoch,
        long samplesSeen,
        double learningRate,
        Map<String, String> settings,
        double lastLoss,
        Evaluation soFar,
        List<EpochResult> finished,
        boolean stopping,
        EpochResult result,
        String failure,
        Map<String, Map<String, Double>> restored) {
    /** Events in the order of a run; {@code MET} answers a demand of the driver. */
    enum Kind {
        BEGIN,
        STEP,
        EPOCH,
        END,
        MET
    }

    static RunReport of(Kind kind, Run run) {
        return new RunReport(
                kind,
                run.epoch(),
                run.epochs(),
                run.step(),
                run.stepOfEpoch(),
                run.stepsPerEpoch().orElse(-1),
                run.samplesSeen(),
                run.learningRate(),
                run.settings(),
                run.lastLoss(),
                run.soFar(),
                run.finished(),
                run.stopping(),
                null,
                null,
                null);
    }

    RunReport result(EpochResult ofEpoch) {
        return with(ofEpoch, failure, restored);
    }

    RunReport failure(String why) {
        return with(result, why, restored);
    }

    RunReport restored(Map<String, Map<String, Double>> states) {
        return with(result, failure, states.isEmpty() ? null : states);
    }

    private RunReport with(EpochResult ofEpoch, String why, Map<String, Map<String, Double>> states) {
        return new RunReport(
                kind,
                epoch,
                epochs,
                step,
                stepOfEpoch,
                stepsPerEpoch,
                samplesSeen,
                learningRate,
                settings,
                lastLoss,
                soFar,
                finished,
                stopping,
                ofEpoch,
                why,
                states);
    }
}
