package dev.tutti.json;

import java.util.function.Consumer;

/**
 * A value of settings that describes something: a layer, an optimizer, a strategy, a place to run.
 *
 * <p>Settings are private fields with defaults, read from files by their names. Fluent methods leave the definition as it is and return
 * a changed copy, so definitions can be shared between threads.
 */
public abstract class Definition implements Cloneable {
    /**
     * A changed and validated copy: how fluent settings are written, {@code return copy(c -> c.stride = stride)}.
     *
     * @param <D> the class of this definition, or one that it extends
     */
    @SuppressWarnings("unchecked")
    protected final <D extends Definition> D copy(Consumer<D> change) {
        try {
            D clone = (D) clone();
            change.accept(clone);
            clone.validate();
            return clone;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("definitions are cloneable", e);
        }
    }

    /**
     * Checks the settings, which may come from a file; every copy is checked.
     *
     * @throws dev.tutti.TuttiException if a setting is invalid
     */
    public void validate() {}
}
