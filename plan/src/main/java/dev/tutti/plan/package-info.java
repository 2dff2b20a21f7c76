/** Predicts step time, memory and cost of a job with each strategy on many nodes, from a profile of its step and exact schedules. */
package dev.tutti.plan;
