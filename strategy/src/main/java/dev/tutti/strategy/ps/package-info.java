/** Parameter servers: servers hold the model's vector in shards; workers pull values, compute, and push gradients. */
package dev.tutti.strategy.ps;
