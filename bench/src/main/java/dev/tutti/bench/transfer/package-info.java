/** Our side of the benchmark of fine-tuning: an encoder of MiniLM's size, its adapters, its cached outputs, and what travels. */
package dev.tutti.bench.transfer;
