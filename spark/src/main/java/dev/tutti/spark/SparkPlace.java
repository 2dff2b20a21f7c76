package dev.tutti.spark;

import dev.tutti.train.History;
import dev.tutti.train.RemoteTraining;

/** What runs a training on a Spark cluster. Its implementations know Spark's classes, so that settings can be read without them. */
public interface SparkPlace {
    /** Trains with the settings of a cluster until the members are done. */
    History train(SparkCluster settings, RemoteTraining training);
}
