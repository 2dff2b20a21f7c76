/** The engine workloads: the same models on the same kind of data as {@code bench/peers/engine_*.py}. */
package dev.tutti.bench.engine;
