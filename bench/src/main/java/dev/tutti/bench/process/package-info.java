/** The processes that are measured: started, asked in turn over a line protocol, and ended for certain. */
package dev.tutti.bench.process;
