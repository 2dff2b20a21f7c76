/**
 * The coordinator behind gRPC: messages are records as JSON, every call carries a token and has a deadline.
 *
 * <p>{@link dev.tutti.cluster.rpc.CoordinatorServer} runs in the driver or in a process of its own, {@link
 * dev.tutti.cluster.rpc.CoordinatorClient} in every member. Not for users.
 */
package dev.tutti.cluster.rpc;
