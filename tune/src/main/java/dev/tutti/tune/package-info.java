/** Finds good settings of a job: a search space, trials of points in it, and what came of them. */
package dev.tutti.tune;
