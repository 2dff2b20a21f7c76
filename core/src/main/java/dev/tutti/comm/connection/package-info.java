/** Chooses the transport of a group by where its members run. */
package dev.tutti.comm.connection;
