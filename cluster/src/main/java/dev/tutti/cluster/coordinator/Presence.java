package dev.tutti.cluster.coordinator;

import dev.tutti.comm.Member;

/**
 * A member and where it listens for messages of others.
 *
 * @param address null if it does not
 * @param gone why it is no longer a member, or null
 */
public record Presence(Member member, String address, String gone) {}
