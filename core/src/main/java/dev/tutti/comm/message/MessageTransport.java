package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import java.time.Duration;
import java.util.Optional;

/** Makes links to other members. Order of calls: {@link #open} once, {@link #connect} any number of times, {@link #close}. */
public interface MessageTransport extends AutoCloseable {
    /** Lets other members connect from now on. */
    void open(Member self, LinkListener listener);

    /**
     * Connects with another member.
     *
     * @return nothing if this transport does not lead to it
     * @throws MemberLostException if it should, but the member was not reached within the limit
     */
    Optional<MessageLink> connect(Member to, Duration limit);

    /** Lets no others connect any more. Links are closed by their holders. */
    @Override
    void close();
}
