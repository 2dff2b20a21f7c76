package dev.tutti.federated;

import java.util.Objects;
import java.util.Optional;

/**
 * What one client's training changed.
 *
 * @param client the client's identity
 * @param round the round whose model it began with
 * @param samples rows it learned from, in one epoch
 * @param delta its model minus the model it began with
 * @param control what its control variate changed; for SCAFFOLD alone
 * @param steps optimizer steps it took
 * @param loss mean loss of its last epoch
 * @param lossBefore mean loss of the model it was given on its data; NaN unless it was asked for
 */
public record ClientUpdate(
        String client,
        int round,
        long samples,
        float[] delta,
        Optional<float[]> control,
        long steps,
        double loss,
        double lossBefore) {
    public ClientUpdate {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(delta, "delta");
    }

    /** Without a control variate and losses. */
    public static ClientUpdate of(String client, int round, long samples, float... delta) {
        return new ClientUpdate(client, round, samples, delta, Optional.empty(), 1, Double.NaN, Double.NaN);
    }

    /** The same with another difference. */
    public ClientUpdate delta(float[] changed) {
        return new ClientUpdate(client, round, samples, changed, control, steps, loss, lossBefore);
    }

    /** The same by another client and with other samples. */
    public ClientUpdate samples(long count) {
        return new ClientUpdate(client, round, count, delta, control, steps, loss, lossBefore);
    }
}
