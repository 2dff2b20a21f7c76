/** What the benchmark of Spark clusters measures. */
package dev.tutti.spark.measure;
