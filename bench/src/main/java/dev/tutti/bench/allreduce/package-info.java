/** Several workers on one machine: how fast they train together, what they send, and how soon they go on after a loss. */
package dev.tutti.bench.allreduce;
