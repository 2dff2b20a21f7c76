/** The way between JVMs that share no memory, through Gloo or TLS; and between machines of several members each. Not for users. */
package dev.tutti.comm.network;
