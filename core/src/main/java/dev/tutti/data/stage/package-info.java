/** The stages of a dataset at work: shuffling, mapping, filtering, caching, stacking into batches. Not for users. */
package dev.tutti.data.stage;
