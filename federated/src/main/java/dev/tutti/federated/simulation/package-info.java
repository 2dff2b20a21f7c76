/** Thousands of clients on the threads of one machine, under the code of the real server; seeded and repeatable. */
package dev.tutti.federated.simulation;
