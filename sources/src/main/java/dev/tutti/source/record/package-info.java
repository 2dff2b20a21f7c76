/** Files of records as TensorFlow writes them, in both directions. */
package dev.tutti.source.record;
