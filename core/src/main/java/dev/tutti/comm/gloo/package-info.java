/** Collectives between machines: Gloo over TCP, and shared memory on each machine with Gloo between one member of each. */
package dev.tutti.comm.gloo;
