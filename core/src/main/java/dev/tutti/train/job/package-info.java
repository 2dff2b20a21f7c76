/** A training run as a value: read from YAML or JSON, checked before it starts, run anywhere. */
package dev.tutti.train.job;
