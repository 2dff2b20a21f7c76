/**
 * Federated learning: many owners train one model, and their data stays where it is.
 *
 * <p>{@link dev.tutti.federated.FederatedJob} says what is learned and how; {@link dev.tutti.federated.server.FederatedServer} and {@link
 * dev.tutti.federated.client.FederatedClient} do it over the network, {@link dev.tutti.federated.simulation.Simulation} on the threads of
 * one machine with the same server code.
 */
package dev.tutti.federated;
