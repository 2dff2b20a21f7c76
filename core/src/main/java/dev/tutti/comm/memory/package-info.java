/** Collectives between threads of one JVM, through plain memory. */
package dev.tutti.comm.memory;
