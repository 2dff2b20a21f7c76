package dev.tutti.comm.message;

import dev.tutti.comm.CommunicationException;

/** Where a member listens for messages, as members tell each other: {@code 127.0.0.1:40213}. */
public record MessageAddress(String host, int port) {
    public MessageAddress {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("expected a port from 1 to 65535, received " + port);
        }
    }

    public static MessageAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            return new MessageAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
        } catch (RuntimeException e) {
            throw new CommunicationException("expected an address host:port, received '" + text + "'", e);
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
