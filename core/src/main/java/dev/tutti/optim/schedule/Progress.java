package dev.tutti.optim.schedule;

import java.util.List;

/**
 * How far a run has come: all that a schedule may go by.
 *
 * @param step steps taken before this one, over the whole run
 * @param stepsPerEpoch steps of one pass over the data; 0 when not known
 * @param totalSteps steps of the whole run; 0 when not known
 * @param observed what was measured at the end of each epoch so far, usually the loss on validation data; part of a
 *     checkpoint, so that a resumed run goes on at the same rate
 */
public record Progress(long step, double stepsPerEpoch, long totalSteps, List<Double> observed) {
    public Progress {
        observed = List.copyOf(observed);
        if (step < 0 || stepsPerEpoch < 0 || totalSteps < 0) {
            throw new IllegalArgumentException("progress is counted from 0: received step " + step + ", "
                    + stepsPerEpoch + " steps per epoch, " + totalSteps + " steps in all");
        }
    }

    /** The progress of a run of the given number of epochs, before any measurement. */
    public static Progress of(long step, long stepsPerEpoch, double epochs) {
        return new Progress(step, stepsPerEpoch, Math.round(stepsPerEpoch * epochs), List.of());
    }

    /** Progress in a run whose epochs do not matter, before anything was observed. */
    public static Progress of(long step, long totalSteps) {
        return new Progress(step, 0, totalSteps, List.of());
    }

    public Progress observed(List<Double> values) {
        return new Progress(step, stepsPerEpoch, totalSteps, values);
    }

    /** The same moment in a run that began later. */
    Progress after(long skipped) {
        long rest = totalSteps == 0 ? 0 : Math.max(1, totalSteps - skipped); // 0 would say that the length is not known
        return new Progress(Math.max(0, step - skipped), stepsPerEpoch, rest, observed);
    }
}
