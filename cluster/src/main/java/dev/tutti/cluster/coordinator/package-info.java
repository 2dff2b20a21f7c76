/**
 * What the coordinator of a job knows and decides: a state machine without threads, network or clock.
 *
 * <p>{@link dev.tutti.cluster.coordinator.Coordinator} is the machine, {@link dev.tutti.cluster.coordinator.Event} what happens to
 * it, {@link dev.tutti.cluster.coordinator.Fact} what it has decided, {@link dev.tutti.cluster.journal.Journal} the facts on
 * disk. Not for users.
 */
package dev.tutti.cluster.coordinator;
