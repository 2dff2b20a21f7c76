/**
 * Where the time of a run goes: by member, by phase, and what limits it.
 *
 * <pre>{@code
 * trainer.fit(train, epochs(3).on(Cluster.processes(2))).times()
 * }</pre>
 */
package dev.tutti.train.profile;
