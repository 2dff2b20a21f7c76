package dev.tutti.comm;

import java.util.List;

/** Members did not take part in time, or are known to be gone. The message names them and says when they were last heard of. */
public final class MemberLostException extends GroupChangedException {
    private static final long serialVersionUID = 1;

    private final List<String> members;

    /** @param members ids of those who are missing; empty when that is not known */
    public MemberLostException(List<String> members, String message) {
        this(members, message, null);
    }

    public MemberLostException(List<String> members, String message, Throwable cause) {
        super(message, cause);
        this.members = List.copyOf(members);
    }

    public List<String> members() {
        return members;
    }
}
