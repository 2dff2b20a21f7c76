/** Predictions of the planner beside measured runs on hosts with links of a known bandwidth and delay. */
package dev.tutti.bench.plan;
