package dev.tutti.comm.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.array.DType;
import dev.tutti.comm.Group;
import java.nio.ByteBuffer;

/**
 * What one member called for, as the others see it: compared by all before any element moves.
 *
 * @param peer the root of a broadcast, the other one of a send or receive, else -1
 */
public record CollectiveCall(CollectiveOperation operation, String what, DType type, long count, int peer) {
    /** Bytes a call takes when it is written down. */
    public static final int BYTES = 256;

    private static final int NAME_BYTES = BYTES - 20;
    private static final CollectiveOperation[] OPERATIONS = CollectiveOperation.values();
    private static final DType[] TYPES = DType.values();

    public CollectiveCall {
        what = shortened(what);
    }

    static CollectiveCall without(CollectiveOperation operation, String what) {
        return new CollectiveCall(operation, what, DType.UINT8, 0, -1);
    }

    /** Names too long to be written down keep their beginning and a mark by which they are told apart. */
    private static String shortened(String name) {
        if (name.length() * 3 <= NAME_BYTES || name.getBytes(UTF_8).length <= NAME_BYTES) {
            return name;
        }
        return name.substring(0, NAME_BYTES / 3 - 12) + "...#" + Integer.toHexString(name.hashCode());
    }

    /** Writes {@link #BYTES} bytes, or fewer, at the buffer's position. */
    public void write(ByteBuffer out) {
        byte[] name = what.getBytes(UTF_8);
        out.put((byte) operation.ordinal())
                .put((byte) type.ordinal())
                .putShort((short) name.length)
                .putInt(peer)
                .putLong(count)
                .put(name);
    }

    public static CollectiveCall read(ByteBuffer in) {
        CollectiveOperation operation = OPERATIONS[in.get()];
        DType type = TYPES[in.get()];
        byte[] name = new byte[in.getShort()];
        int peer = in.getInt();
        long count = in.getLong();
        in.get(name);
        return new CollectiveCall(operation, new String(name, UTF_8), type, count, peer);
    }

    /** The call in words, such as {@code allReduce 'gradients' of 1000 float32}. */
    public String describe(Group group) {
        String text = operation == CollectiveOperation.JOIN ? "join" : operation + " '" + what + "'";
        if (operation.hasValues()) {
            text += " of " + count + " " + type;
        }
        return switch (operation) {
            case BROADCAST, RECEIVE -> text + " from " + name(group);
            case SEND -> text + " to " + name(group);
            default -> text;
        };
    }

    private String name(Group group) {
        return peer >= 0 && peer < group.size() ? group.members().get(peer).id() : "rank " + peer;
    }
}
