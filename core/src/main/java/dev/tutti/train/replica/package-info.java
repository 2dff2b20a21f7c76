/**
 * What a strategy implements: a {@link dev.tutti.train.replica.Strategy} makes, for one member, the
 * {@link dev.tutti.train.replica.Replica} that the training loop drives; a {@link dev.tutti.train.replica.Feed} is that member's
 * part of the data.
 *
 * <pre>{@code
 * trainer.fit(train, epochs(3).on(cluster).with(strategy))
 * }</pre>
 */
package dev.tutti.train.replica;
