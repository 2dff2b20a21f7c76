/** Pipelines: schedules as tables, stages that are balanced, micro-batches on their way. */
package dev.tutti.strategy.parallel.pipeline;
