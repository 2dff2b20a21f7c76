/** Models that go on learning from a stream. */
package dev.tutti.spark.streaming;
