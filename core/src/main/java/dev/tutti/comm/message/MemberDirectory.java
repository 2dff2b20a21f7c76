package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import java.time.Duration;
import java.util.Optional;

/** Knows where members listen for messages. */
@FunctionalInterface
public interface MemberDirectory {
    /**
     * The address of a member; empty if it has none within the limit.
     *
     * @throws MemberLostException if the member is known to be gone
     */
    Optional<MessageAddress> find(Member member, Duration limit);
}
