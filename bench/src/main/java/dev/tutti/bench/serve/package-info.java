/** Servers of models side by side: the same models, requests and load generator for all. */
package dev.tutti.bench.serve;
