/** Rounds of MapReduce over a Spark table; see {@link dev.tutti.strategy.mapreduce}. */
package dev.tutti.spark.mapreduce;
