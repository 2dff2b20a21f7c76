package dev.tutti.federated.server;

import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Updates that arrive in pieces; a client whose connection broke goes on where it was. */
final class Uploads {
    private record Part(int round, long length, ByteArrayOutputStream bytes) {}

    private final long longest;
    private final Map<String, Part> parts = new HashMap<>();

    Uploads(long longest) {
        this.longest = longest;
    }

    /** Bytes of a client's update of a round that are here. */
    synchronized long received(String client, int round) {
        Part part = parts.get(client);
        return part == null || part.round != round ? 0 : part.bytes.size();
    }

    /**
     * Adds a piece.
     *
     * @return all of the update, once it is complete
     * @throws RefusedCallException if it is too long, or the piece does not follow what is here
     */
    synchronized Optional<byte[]> add(String client, int round, long offset, long length, byte[] piece) {
        if (length > longest || length < 0) {
            parts.remove(client);
            throw new RefusedCallException(413, "an update has at most " + longest + " bytes: this one has " + length);
        }
        if (offset == 0 && piece.length == length) {
            parts.remove(client);
            return Optional.of(piece);
        }
        Part part = parts.get(client);
        if (part == null || part.round != round || offset == 0) {
            part = new Part(round, length, new ByteArrayOutputStream());
            parts.put(client, part);
        }
        if (offset != part.bytes.size() || length != part.length || offset + piece.length > length) {
            throw new RefusedCallException(
                    409, "the piece begins at " + offset + ": expected " + part.bytes.size() + " of " + part.length);
        }
        part.bytes.writeBytes(piece);
        if (part.bytes.size() < length) {
            return Optional.empty();
        }
        parts.remove(client);
        return Optional.of(part.bytes.toByteArray());
    }

    /** Forgets what was begun in rounds before. */
    synchronized void forgetBefore(int round) {
        parts.values().removeIf(part -> part.round < round);
    }
}
