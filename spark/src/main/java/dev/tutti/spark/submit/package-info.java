/** Programs for clusters on other machines: one jar with all of Tutti, and the command line of spark-submit. */
package dev.tutti.spark.submit;
