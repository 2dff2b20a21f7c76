/** Contenders of the benchmark of parameter servers. */
package dev.tutti.bench.ps;
