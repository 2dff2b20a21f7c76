/** Our side of the line protocol: workloads and the process that runs them when asked. */
package dev.tutti.bench.contender;
