/** Collectives between threads of one JVM, through plain memory. Not for users. */
package dev.tutti.comm.memory;
