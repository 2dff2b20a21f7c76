package dev.tutti.metric;

import dev.tutti.TuttiException;

/** Predictions and targets that a metric cannot compare; the message begins with the name of the metric. */
public class MetricException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public MetricException(String metric, String message) {
        super(metric + ": " + message);
    }
}
