/**
 * The shape of TensorFlowOnSpark: a function of the user's own runs on nodes of the cluster and is fed by RDDs; see
 * {@link dev.tutti.spark.node.TuttiCluster}.
 */
package dev.tutti.spark.node;
