/** Federated learning beside Flower: simulations, and a server with many clients that wait. */
package dev.tutti.bench.federated;
