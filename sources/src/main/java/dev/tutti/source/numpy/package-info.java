/** Arrays in NumPy's own files. */
package dev.tutti.source.numpy;
