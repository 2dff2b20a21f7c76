/**
 * The Estimator, for those who know it from TensorFlow: a model function by mode, input functions, hooks, and estimators for
 * tables that are ready to use. It is a thin door onto {@link dev.tutti.train.Trainer} and runs under every strategy.
 */
package dev.tutti.estimator;
