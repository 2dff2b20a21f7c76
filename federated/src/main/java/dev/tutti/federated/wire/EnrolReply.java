package dev.tutti.federated.wire;

/**
 * A client may take part.
 *
 * @param client its identity from now on
 * @param key what it shows with every call, as a bearer token
 */
public record EnrolReply(String client, String key) {}
