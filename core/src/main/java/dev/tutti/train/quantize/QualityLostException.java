package dev.tutti.train.quantize;

import dev.tutti.TuttiException;

/** A smaller model answers worse than its user allows; it was not written. */
public final class QualityLostException extends TuttiException {
    private static final long serialVersionUID = 1;

    QualityLostException(String message) {
        super(message);
    }
}
