/** What the service measures about itself, in the text format of Prometheus. */
package dev.tutti.serve.metrics;
