package dev.tutti.federated.aggregate;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.BoundedNumber;
import dev.tutti.federated.LocalRules;
import dev.tutti.json.Definition;
import dev.tutti.json.ShortForm;
import java.util.Locale;

/**
 * The definition of how updates become the next model; {@link #open} puts it to work.
 *
 * <p>One of your own extends this class; {@code Json.register} gives it its name in files.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public abstract class Aggregation extends Definition {
    /**
     * Makes the working object of a run.
     *
     * @param size elements of the model's vector
     * @param rate the learning rate at the clients
     */
    public abstract Aggregator open(int size, double rate);

    /** What is asked of the training at the clients. */
    public LocalRules local() {
        return LocalRules.PLAIN;
    }

    /** The fewest updates that a round can be made of. */
    public int least() {
        return 1;
    }

    /** Whether the next model depends on a weighted sum of the updates alone, so that the server need not see single ones. */
    public boolean needsSumOnly() {
        return true;
    }

    /** The kind, as in files and messages. */
    public String kind() {
        String simple = getClass().getSimpleName();
        return simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1);
    }

    final BoundedNumber setting(String name, double value) {
        return new BoundedNumber(kind(), name, value);
    }

    @Override
    public String toString() {
        return kind() + "()";
    }
}
