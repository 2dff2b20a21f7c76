/** Collectives between JVMs of one machine, through memory that all of them have mapped. */
package dev.tutti.comm.sharedmemory;
