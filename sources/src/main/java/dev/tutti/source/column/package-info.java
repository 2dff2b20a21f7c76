/**
 * How columns become arrays: definitions that are fitted in one pass over the training part, saved with the model and applied in
 * the same way whenever the model is used.
 */
package dev.tutti.source.column;
