package dev.tutti.federated.aggregate;

import dev.tutti.TuttiException;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.LocalRules;
import java.util.Map;
import java.util.Optional;

/**
 * Control variates against the drift of clients whose data differs (Karimireddy et al. 2020), with the second option for the client's
 * variate. Clients train with plain SGD and count alike. Each client remembers a vector as long as the model.
 */
public final class Scaffold extends Aggregation {
    private double eta = 1;
    private int clients;

    /** The server's learning rate; 1 by default. */
    public Scaffold eta(double rate) {
        return this.<Scaffold>copy(c -> c.eta = rate);
    }

    /** How many clients there are in all; the server's variate moves by the part of them that answered. */
    public Scaffold clients(int count) {
        return this.<Scaffold>copy(c -> c.clients = count);
    }

    @Override
    public void validate() {
        setting("eta", eta).above(0);
        setting("clients", clients).atLeast(0);
    }

    @Override
    public LocalRules local() {
        return new LocalRules(0, true, false);
    }

    @Override
    public boolean needsSumOnly() {
        return false; // a second vector travels with each update
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new ControlAggregator(size);
    }

    private final class ControlAggregator implements Aggregator {
        private final WeightedSum sum;
        private final WeightedSum changes;
        private float[] control;
        private float[] model;

        ControlAggregator(int size) {
            sum = new WeightedSum(size);
            changes = new WeightedSum(size);
            control = new float[size];
        }

        @Override
        public void begin(float[] current) {
            model = current;
            sum.clear();
            changes.clear();
        }

        @Override
        public void add(ClientUpdate update) {
            changes.add(
                    update.control()
                            .orElseThrow(() -> new TuttiException("the update of " + update.client()
                                    + " came without the change of its control variate, which SCAFFOLD needs")),
                    1);
            sum.add(update.delta(), 1);
        }

        @Override
        public float[] finish() {
            sum.requireSome();
            double part = clients == 0 ? 1 : Math.min(1, sum.count() / (double) clients);
            float[] next = new float[model.length];
            float[] moved = new float[model.length];
            for (int i = 0; i < next.length; i++) {
                next[i] = (float) (model[i] + eta * sum.mean(i));
                moved[i] = (float) (control[i] + part * changes.mean(i));
            }
            control = moved;
            return next;
        }

        @Override
        public Optional<float[]> control() {
            return Optional.of(control);
        }

        @Override
        public Map<String, float[]> state() {
            return Map.of("control", control);
        }

        @Override
        public void restore(Map<String, float[]> state) {
            float[] saved = state.get("control");
            if (saved == null || saved.length != control.length) {
                throw new TuttiException("the saved state has no control variate of " + control.length
                        + " values: it holds " + state.keySet());
            }
            control = saved.clone();
        }
    }
}
