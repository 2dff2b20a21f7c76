package dev.tutti.train;

import dev.tutti.train.profile.TimeReport;
import dev.tutti.train.replica.StrategyReport;
import java.util.List;
import java.util.Optional;

/**
 * The epochs of a run, how it ended and where its time went.
 *
 * @param epochs those that are done
 * @param ending how it ended
 * @param reason why it ended early; empty when it did not
 * @param times where the time of each member went
 * @param strategy what the strategy has to tell of its own
 */
public record History(
        List<EpochResult> epochs, Ending ending, Optional<String> reason, TimeReport times, StrategyReport strategy) {
    /** Why training stopped. */
    public enum Ending {
        /** All epochs were done. */
        COMPLETED,
        /** A callback had seen enough. */
        STOPPED,
        /** It was requested from outside, such as by Ctrl-C. */
        INTERRUPTED
    }

    public History {
        epochs = List.copyOf(epochs);
        strategy = strategy == null ? StrategyReport.NONE : strategy;
    }

    /** One whose strategy has nothing to tell. */
    public History(List<EpochResult> epochs, Ending ending, Optional<String> reason, TimeReport times) {
        this(epochs, ending, reason, times, StrategyReport.NONE);
    }

    /** The last epoch. */
    public EpochResult last() {
        if (epochs.isEmpty()) {
            throw new IllegalStateException("no epoch was finished");
        }
        return epochs.get(epochs.size() - 1);
    }

    /** The epoch with the best value of a metric, of the validation where there is one. */
    public EpochResult best(String metric, boolean higherIsBetter) {
        EpochResult best = last();
        for (EpochResult epoch : epochs) {
            double difference = epoch.monitored(metric) - best.monitored(metric);
            if (higherIsBetter ? difference > 0 : difference < 0) {
                best = epoch;
            }
        }
        return best;
    }
}
