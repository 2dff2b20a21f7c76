/** Models larger than one member: stages, slices, and copies of both, in one grid of members. */
package dev.tutti.strategy.parallel;
