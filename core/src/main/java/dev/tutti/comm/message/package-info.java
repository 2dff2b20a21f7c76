/**
 * How messages travel between members that are not in lockstep: one exchange for each member, over the memory of a JVM and over
 * sockets. Not for users: {@code dev.tutti.comm.Messages} is the contract.
 *
 * <pre>{@code
 * messages.serve("pull", MessageHandler.of(request -> Message.of("", values)));
 * Message answer = messages.ask(server, "pull", Message.of("range 3"), Duration.ofSeconds(5)).join();
 * }</pre>
 */
package dev.tutti.comm.message;
