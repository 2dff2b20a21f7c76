/** Rows of Spark tables for members: columns to numbers by memory copy, a file of floats for later epochs, an account of the parts. */
package dev.tutti.spark.feed;
