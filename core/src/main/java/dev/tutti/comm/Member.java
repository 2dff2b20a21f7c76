package dev.tutti.comm;

import java.util.Objects;

/**
 * One of those who work together.
 *
 * @param id its name, such as {@code worker-2}: the same for as long as it lives, never given to another
 * @param host the machine it runs on; members with the same host can share memory
 */
public record Member(String id, String host) {
    public Member {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(host, "host");
    }

    @Override
    public String toString() {
        return id;
    }
}
