package dev.tutti.comm;

/** Bytes that went out of one member and came in, counting elements and no headers. */
public record Traffic(long sent, long received) {
    public static final Traffic NONE = new Traffic(0, 0);

    /** What was added since an earlier count. */
    public Traffic since(Traffic earlier) {
        return new Traffic(sent - earlier.sent, received - earlier.received);
    }
}
