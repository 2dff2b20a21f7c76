package dev.tutti.train.replica;

import dev.tutti.train.TrainingException;

/** Some of the state that training goes on from went with a member, and nobody has a copy: only a checkpoint can bring it back. */
public class StateLostException extends TrainingException {
    private static final long serialVersionUID = 1L;

    public StateLostException(String message) {
        super(message);
    }
}
