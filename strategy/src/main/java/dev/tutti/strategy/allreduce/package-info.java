/** Members that sum their gradients at every step. */
package dev.tutti.strategy.allreduce;
