package dev.tutti.optim;

import dev.tutti.json.Definitions;
import dev.tutti.optim.schedule.Constant;
import dev.tutti.optim.schedule.Cosine;
import dev.tutti.optim.schedule.Exponential;
import dev.tutti.optim.schedule.Linear;
import dev.tutti.optim.schedule.OneCycle;
import dev.tutti.optim.schedule.ReduceOnPlateau;
import dev.tutti.optim.schedule.StepDecay;
import java.util.Map;

/** The names that optimizers and schedules have in files. */
public final class OptimizerDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(Sgd.class, "sgd"),
                Map.entry(Adam.class, "adam"),
                Map.entry(AdamW.class, "adamW"),
                Map.entry(Adagrad.class, "adagrad"),
                Map.entry(Rmsprop.class, "rmsprop"),
                Map.entry(Lion.class, "lion"),
                Map.entry(Constant.class, "constant"),
                Map.entry(StepDecay.class, "step"),
                Map.entry(Exponential.class, "exponential"),
                Map.entry(Linear.class, "linear"),
                Map.entry(Cosine.class, "cosine"),
                Map.entry(OneCycle.class, "oneCycle"),
                Map.entry(ReduceOnPlateau.class, "reduceOnPlateau"));
    }
}
