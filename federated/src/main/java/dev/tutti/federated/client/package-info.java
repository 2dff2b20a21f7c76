/** A client of federated learning: it calls outward only, keeps its rows, and does what its policy agrees to. */
package dev.tutti.federated.client;
