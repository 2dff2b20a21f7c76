/** Predictions for whole data sets by several processes: each row exactly once, in order, and resumable. */
package dev.tutti.jobs.predict;
