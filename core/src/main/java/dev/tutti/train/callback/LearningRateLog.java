package dev.tutti.train.callback;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the learning rate whenever it has changed by more than a tenth. */
final class LearningRateLog implements Callback {
    private static final Logger log = LoggerFactory.getLogger(LearningRateLog.class);

    private double logged = Double.NaN;

    @Override
    public void step(Run run) {
        double rate = run.learningRate();
        if (Double.isNaN(logged) || Math.abs(rate - logged) > 0.1 * Math.abs(logged)) {
            logged = rate;
            log.info("step {}: learning rate {}", run.step(), rate);
        }
    }
}
