/** The way between JVMs that share no memory, through Gloo or TLS; and between machines of several members each. */
package dev.tutti.comm.network;
