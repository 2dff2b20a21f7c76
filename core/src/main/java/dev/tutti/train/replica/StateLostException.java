package dev.tutti.train.replica;

import dev.tutti.train.TrainingException;

/** A part of the training state was lost with a member, and no copy exists: only a checkpoint can restore it. */
public class StateLostException extends TrainingException {
    private static final long serialVersionUID = 1L;

    public StateLostException(String message) {
        super(message);
    }
}
