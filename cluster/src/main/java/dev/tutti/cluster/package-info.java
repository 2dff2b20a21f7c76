/**
 * Members of a job: who they are, who is alive, what data each has leased, and how they are started.
 *
 * <pre>{@code
 * trainer.fit(train, epochs(3).on(Cluster.processes(2)))
 * }</pre>
 */
package dev.tutti.cluster;
