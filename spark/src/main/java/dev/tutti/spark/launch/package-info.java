/** A training as one Spark job: the driver's part, the members' tasks, and what they tell each other. */
package dev.tutti.spark.launch;
