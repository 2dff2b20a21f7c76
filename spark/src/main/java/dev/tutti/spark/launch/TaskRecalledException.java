package dev.tutti.spark.launch;

import dev.tutti.TuttiException;

/** Spark wants a task back: its job was cancelled, or its executor is taken away. */
final class TaskRecalledException extends TuttiException {
    private static final long serialVersionUID = 1;

    TaskRecalledException(String message) {
        super(message);
    }
}
