package dev.tutti.federated.aggregate;

/** An aggregator that has to know the number of the round. */
public interface RoundAware {
    /** The round that begins; called before {@link Aggregator#begin}. */
    void round(int number);
}
