package dev.tutti.tensor.script;

import dev.tutti.TuttiException;

/** A TorchScript file that cannot be read, or a module that cannot do what is asked of it. */
public class ScriptException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public ScriptException(String message) {
        super(message);
    }

    public ScriptException(String message, Throwable cause) {
        super(message, cause);
    }
}
