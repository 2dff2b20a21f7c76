/** Plans of grids: who holds what, what travels, and pictures of schedules. */
package dev.tutti.strategy.parallel.plan;
