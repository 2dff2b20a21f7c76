/** Sums between hosts with links of a known bandwidth and delay, beside PyTorch's. */
package dev.tutti.bench.network;
