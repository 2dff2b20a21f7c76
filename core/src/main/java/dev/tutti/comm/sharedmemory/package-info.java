/** Collectives between JVMs of one machine, through memory that all of them have mapped. Not for users. */
package dev.tutti.comm.sharedmemory;
