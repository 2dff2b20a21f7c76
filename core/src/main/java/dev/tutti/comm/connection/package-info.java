/** Chooses the transport of a group by where its members run. Not for users. */
package dev.tutti.comm.connection;
