/** Our side of the benchmark of data: files into training batches. */
package dev.tutti.bench.data;
