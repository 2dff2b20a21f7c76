package dev.tutti.optim;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.BoundedNumber;
import dev.tutti.TuttiException;
import dev.tutti.json.Definition;
import dev.tutti.json.ShortForm;
import dev.tutti.optim.schedule.Constant;
import dev.tutti.optim.schedule.Progress;
import dev.tutti.optim.schedule.Schedule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The definition of how parameters follow their gradients; {@link #bind} puts it to work.
 *
 * <p>It holds settings only, so one definition can be used for many models, shared between workers and written as JSON.
 * The training loop asks it, at each step: clip the gradients by {@link #clipping()}, then apply the bound update with
 * {@link #rate}. An optimizer of your own extends this class (or {@link SelfTyped}) and gives an {@link Update}, most
 * easily a {@link VectorUpdate}; {@code Json.register} gives it its name in files.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public abstract class Optimizer extends Definition {
    private double learningRate;
    private Schedule schedule;
    private double weightDecay;
    private List<String> noDecay = List.of();
    private Map<String, Double> rateFactors = Map.of();
    private Consolidation consolidation;
    private double clipNorm;
    private double clipValue;

    protected Optimizer(double learningRate) {
        this(learningRate, 0);
    }

    protected Optimizer(double learningRate, double weightDecay) {
        this.learningRate = learningRate;
        this.weightDecay = weightDecay;
    }

    /** Makes the state that belongs to the target's range. */
    public final Update bind(Target target) {
        Objects.requireNonNull(target, "target");
        validate();
        Target grouped = rateFactors.isEmpty() ? target : target.rateFactors(rateFactors);
        return update(consolidation == null ? grouped : grouped.consolidated(consolidation));
    }

    /** Makes the state that belongs to the target's range; the settings have been validated. */
    protected abstract Update update(Target target);

    /**
     * Checks the settings; those of a definition that was read from a file have not been checked before.
     *
     * @throws TuttiException when one is out of its bounds
     */
    @Override
    public void validate() {
        setting("learningRate", learningRate).atLeast(0).below(Double.POSITIVE_INFINITY);
        setting("weightDecay", weightDecay).atLeast(0).below(Double.POSITIVE_INFINITY);
        setting("clipNorm", clipNorm).atLeast(0);
        setting("clipValue", clipValue).atLeast(0);
        if (noDecay == null || noDecay.stream().anyMatch(pattern -> pattern == null || pattern.isBlank())) {
            throw new TuttiException(kind() + ": noDecay must be a list of names such as bias, received " + noDecay);
        }
        if (rateFactors == null
                || rateFactors.values().stream()
                        .anyMatch(factor -> factor == null || !(factor >= 0) || factor.isInfinite())) {
            throw new TuttiException(
                    kind() + ": rateFactors: expected numbers of at least 0 by pattern of names, such as"
                            + " {encoder*: 0.1}, received " + rateFactors);
        }
        if (consolidation != null) {
            consolidation.validate();
        }
        schedule().validate();
    }

    /** One setting of this optimizer, for {@link #validate}. */
    final BoundedNumber setting(String name, double value) {
        return new BoundedNumber(kind(), name, value);
    }

    // ---- what the training loop asks

    /** The learning rate that the schedule scales. */
    public final double learningRate() {
        return learningRate;
    }

    /** How the learning rate changes during a run; constant unless one was given. */
    public final Schedule schedule() {
        return schedule == null ? Constant.ONE : schedule;
    }

    /** The rate of a step: the learning rate scaled by the schedule. */
    public final double rate(Progress progress) {
        return learningRate * schedule().factor(progress);
    }

    public final Clipping clipping() {
        return new Clipping(clipNorm, clipValue);
    }

    /** Weight decay as part of the gradient, with those it leaves out. */
    protected final Decay decay() {
        return new Decay(weightDecay, false, noDecay);
    }

    /** Weight decay straight from the values, with those it leaves out. */
    protected final Decay decoupledDecay() {
        return new Decay(weightDecay, true, noDecay);
    }

    /** The kind of optimizer, as in files and messages: {@code adam}. */
    public String kind() {
        String simple = getClass().getSimpleName();
        return simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1);
    }

    // ---- settings

    public Optimizer learningRate(double rate) {
        return copy(c -> base(c).learningRate = rate);
    }

    /** Scales the learning rate during the run, for instance {@code cosine().warmup(500)}. */
    public Optimizer schedule(Schedule newSchedule) {
        return copy(c -> base(c).schedule = newSchedule);
    }

    /** Pulls values towards zero: added to the gradient, or in AdamW and Lion taken from the values. */
    public Optimizer weightDecay(double amount) {
        return copy(c -> base(c).weightDecay = amount);
    }

    /**
     * Leaves parameters out of the weight decay, by name.
     *
     * <p>A pattern matches a parameter by one part of its dotted name, with or without the number at the part's end, or
     * by the beginning of the name: {@code bias} matches {@code dense1.bias}, {@code layerNorm} matches {@code
     * layerNorm2.weight}, {@code dense1} and {@code block1.dense2} match all of that layer. A pattern that matches
     * nothing is an error when the optimizer is bound.
     */
    public Optimizer noDecay(String... patterns) {
        return copy(c -> base(c).noDecay = List.of(patterns));
    }

    /**
     * Scales the learning rate of groups of parameters, by pattern of their names: {@code encoder*} or {@code encoder}. Of several
     * patterns that match the last one counts. A pattern that matches nothing is an error when the optimizer is bound.
     */
    public Optimizer rateFactors(Map<String, Double> factors) {
        return copy(c -> base(c).rateFactors = new LinkedHashMap<>(factors));
    }

    /** Holds parameters that were important for what was learned before near to their earlier values. */
    public Optimizer consolidation(Consolidation choice) {
        return copy(c -> base(c).consolidation = choice);
    }

    /** Scales the gradients down when their length, over the whole vector, exceeds {@code max}; 0 switches it off. */
    public Optimizer clipNorm(double max) {
        return copy(c -> base(c).clipNorm = max);
    }

    /** Cuts every gradient to between {@code -max} and {@code max}; 0 switches it off. */
    public Optimizer clipValue(double max) {
        return copy(c -> base(c).clipValue = max);
    }

    private static Optimizer base(Optimizer optimizer) {
        return optimizer;
    }

    @Override
    public String toString() {
        return kind() + "(" + learningRate + ")";
    }
}
