package dev.tutti.train.transfer;

import dev.tutti.NamePattern;
import dev.tutti.train.EpochResult;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.util.List;

/**
 * Lets frozen parts of a model learn one after the other, most often from the head towards the input. After every so many epochs the
 * next pattern is unfrozen, on all members. A run that is resumed has unfrozen what it had before.
 */
public final class GradualUnfreezing implements Callback {
    private final List<NamePattern> order;
    private final int every;
    private int done;

    /**
     * @param order patterns of names, the one that is unfrozen first first
     * @param every epochs between two
     */
    public GradualUnfreezing(List<String> order, int every) {
        this.order = order.stream().map(NamePattern::new).toList();
        this.every = Math.max(1, every);
    }

    @Override
    public void begin(Run run) {
        order.forEach(pattern ->
                run.model().matching(pattern)); // a pattern that matches nothing is an error now, not in the night
        unfreezeUpTo(run, run.finished().size());
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        unfreezeUpTo(run, result.epoch());
    }

    private void unfreezeUpTo(Run run, int epochs) {
        while (done < order.size() && done < epochs / every) {
            run.model().matching(order.get(done)).forEach(run.model()::unfreeze);
            done++;
        }
    }
}
