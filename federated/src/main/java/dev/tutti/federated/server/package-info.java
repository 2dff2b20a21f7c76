/** The server of federated learning: rounds as a deterministic machine, its state on disk, and the HTTP service around it. */
package dev.tutti.federated.server;
