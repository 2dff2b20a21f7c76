package dev.tutti.federated.aggregate;

import dev.tutti.TuttiException;
import dev.tutti.federated.ClientUpdate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Keeps the updates of a round, because it has to see them side by side: as many vectors as clients answer. */
abstract class KeepingAggregator extends StatelessAggregator {
    private final List<ClientUpdate> updates = new ArrayList<>();
    private final Aggregation definition;

    KeepingAggregator(Aggregation definition) {
        this.definition = definition;
    }

    @Override
    final void clear() {
        updates.clear();
    }

    @Override
    public final void add(ClientUpdate update) {
        updates.add(update);
    }

    @Override
    public final float[] finish() {
        if (updates.size() < definition.least()) {
            throw new TuttiException(definition.kind() + " needs " + definition.least()
                    + " updates or more with these settings: received " + updates.size());
        }
        updates.sort(Comparator.comparing(ClientUpdate::client)); // the result does not depend on who came first
        float[] delta = combine(List.copyOf(updates));
        updates.clear();
        float[] next = new float[delta.length];
        for (int i = 0; i < next.length; i++) {
            next[i] = model()[i] + delta[i];
        }
        return next;
    }

    /** One update of all. */
    abstract float[] combine(List<ClientUpdate> all);

    /** The mean weighted by samples. */
    static float[] mean(List<ClientUpdate> some) {
        WeightedSum sum = new WeightedSum(some.get(0).delta().length);
        some.forEach(update -> sum.add(update.delta(), update.samples()));
        sum.requireSome();
        float[] mean = new float[some.get(0).delta().length];
        for (int i = 0; i < mean.length; i++) {
            mean[i] = (float) sum.mean(i);
        }
        return mean;
    }
}
