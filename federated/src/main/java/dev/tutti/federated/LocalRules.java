package dev.tutti.federated;

/**
 * What an aggregation asks of the training at a client.
 *
 * @param proximal how strongly parameters are held to the model of the round, the mu of FedProx; 0 for not at all
 * @param control whether gradients are corrected by control variates, as SCAFFOLD does
 * @param lossBefore whether the loss of the given model is measured first, as q-FedAvg needs it
 */
public record LocalRules(double proximal, boolean control, boolean lossBefore) {
    public static final LocalRules PLAIN = new LocalRules(0, false, false);
}
