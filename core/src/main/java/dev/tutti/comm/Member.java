package dev.tutti.comm;

import java.util.Objects;

/**
 * One of those who work together.
 *
 * @param id its name, such as {@code worker-2}: the same for as long as it lives, never given to another
 * @param host the machine it runs on; members with the same host can share memory
 * @param role what it does in the job: {@link #WORKER} for those who train together, or another word such as {@code server}
 */
public record Member(String id, String host, String role) {
    /** The role of those who train together. */
    public static final String WORKER = "worker";

    public Member {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(host, "host");
        role = role == null ? WORKER : role;
    }

    /** A worker. */
    public Member(String id, String host) {
        this(id, host, WORKER);
    }

    @Override
    public String toString() {
        return id;
    }
}
