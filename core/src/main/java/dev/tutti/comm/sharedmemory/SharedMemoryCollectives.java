package dev.tutti.comm.sharedmemory;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.CommunicationException;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.SingleMemberCollectives;
import dev.tutti.comm.transport.AgreedCollectives;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.tensor.Engine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Collectives between JVMs of one machine, through memory that all of them have mapped.
 *
 * <p>A member that is killed is noticed within milliseconds, one that is stopped at the deadline. Nothing is left on disk or in
 * {@code /dev/shm}, however members end.
 */
public final class SharedMemoryCollectives {
    private static final String NOTE = "segment";

    private SharedMemoryCollectives() {}

    /**
     * Comes together with the others; every member calls it.
     *
     * @param timeout how long any call may take
     * @throws MemberLostException if a member did not come in time
     */
    public static Collectives open(Group group, BulletinBoard board, Duration timeout) {
        if (group.size() == 1) {
            return new SingleMemberCollectives(group);
        }
        Engine.load(); // before the clock runs: the first time takes seconds
        CallDeadline patience = new CallDeadline(timeout);
        return new AgreedCollectives(group, transport(group, group, board, patience), patience);
    }

    public static SharedMemoryTransport transport(
            Group group, Group whole, BulletinBoard board, CallDeadline patience) {
        Segment segment = group.rank() == 0 ? create(group, board) : map(group, board);
        SharedMemoryTransport transport = null;
        try {
            transport = new SharedMemoryTransport(group, whole, segment, patience);
            transport.awaitAll();
            return transport;
        } catch (RuntimeException e) {
            if (transport != null) {
                transport.tell(e);
            }
            segment.close();
            throw e;
        } finally {
            if (group.rank() == 0) {
                segment.unlink();
            }
        }
    }

    private static Segment create(Group group, BulletinBoard board) {
        Segment segment;
        try {
            segment = Segment.create(new SegmentLayout(group.size()).size());
        } catch (IOException e) {
            throw new CommunicationException(
                    "no memory could be shared between the members on "
                            + group.self().host() + ": " + e,
                    e);
        }
        try {
            board.post(NOTE, segment.path().toString());
            return segment;
        } catch (RuntimeException e) {
            segment.unlink();
            segment.close();
            throw e;
        }
    }

    private static Segment map(Group group, BulletinBoard board) {
        String path = board.read(NOTE);
        try {
            return Segment.open(Path.of(path));
        } catch (IOException e) {
            Member maker = group.members().get(0);
            throw new MemberLostException(
                    List.of(maker.id()),
                    "the memory that " + maker + " made for sharing is not there any more (" + path
                            + "): either it gave up"
                            + " waiting, or " + group.self()
                            + " does not run on the same machine as it, though both say '"
                            + maker.host() + "'",
                    e);
        }
    }
}
