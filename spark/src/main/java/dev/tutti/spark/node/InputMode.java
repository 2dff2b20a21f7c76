package dev.tutti.spark.node;

/** Where nodes get their rows from. */
public enum InputMode {
    /** From RDDs, through {@link TuttiCluster#train} and a {@link DataFeed}. */
    SPARK,
    /** From datasets that they read themselves. */
    TUTTI
}
