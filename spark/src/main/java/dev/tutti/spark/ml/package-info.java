/**
 * Stages of Spark ML: {@link dev.tutti.spark.ml.TuttiClassifier}, {@link dev.tutti.spark.ml.TuttiRegressor} and the general
 * {@link dev.tutti.spark.ml.TuttiEstimator} train on the cluster of the session; their models predict in batches on executors.
 */
package dev.tutti.spark.ml;
