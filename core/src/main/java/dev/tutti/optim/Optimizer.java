package dev.tutti.optim;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.json.ShortForm;

/** The definition of how parameters follow their gradients; {@link #bind} puts it to work. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
@JsonSubTypes({@JsonSubTypes.Type(value = Adam.class, name = "adam")})
public abstract class Optimizer implements Cloneable {
    private double learningRate = 1e-3;

    /** Makes the state that belongs to the target's range. */
    public abstract Update bind(Target target);

    /** The rate at a step, counted from 0 over the whole run. */
    public double learningRate(long step) {
        return learningRate;
    }
}
