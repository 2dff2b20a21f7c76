/**
 * A coordinator that survives its machine. Several processes replicate its facts with Raft (Apache Ratis); one of them leads and answers
 * the members, and when it is lost another takes its place within seconds.
 *
 * <pre>{@code
 * var peers = CoordinatorPeer.list("a=node-1:7070:7071,b=node-2:7070:7071,c=node-3:7070:7071");
 * try (var coordinator = ReplicatedCoordinator.start(settings, new ReplicationSettings("a", peers, folder))) {
 *     coordinator.awaitFailure();
 * }
 * }</pre>
 */
package dev.tutti.consensus;
