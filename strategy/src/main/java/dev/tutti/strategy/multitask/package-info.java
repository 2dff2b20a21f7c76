/** Members that combine the gradients of several tasks. */
package dev.tutti.strategy.multitask;
