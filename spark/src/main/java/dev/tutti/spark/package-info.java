/**
 * Training on a Spark cluster: {@link dev.tutti.spark.SparkCluster} is the place to run, and {@link dev.tutti.spark.TuttiSpark} gives it a
 * session and tables.
 */
package dev.tutti.spark;
