/** How the updates of a round become the next model: one definition for each way, and what works for it. */
package dev.tutti.federated.aggregate;
