package dev.tutti.consensus;

import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.journal.CoordinatorLog;
import dev.tutti.cluster.journal.Journal;
import dev.tutti.io.FileException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * The facts of a coordinator on a majority of peers. One log serves one term of leadership: it {@linkplain #open opens} by fencing all
 * earlier ones, and breaks for good with the first change that a majority did not confirm.
 */
final class ReplicatedLog implements CoordinatorLog {
    /** As in {@link Journal}: a shorter log is not worth a summary, and it may grow to four times its summary. */
    private static final long SHORT = 1 << 20;

    private static final int GROWTH = 4;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final RaftServer server;
    private final RaftGroupId group;
    private final FactStateMachine machine;
    private final Runnable whenBroken;
    private final ClientId client = ClientId.randomId();
    private final String writer = UUID.randomUUID().toString();
    private long calls;
    private long size;
    private long limit = SHORT;
    private FileException broken;

    private ReplicatedLog(RaftServer server, RaftGroupId group, FactStateMachine machine, Runnable whenBroken) {
        this.server = server;
        this.group = group;
        this.machine = machine;
        this.whenBroken = whenBroken;
    }

    /**
     * Opens the log on the peer that leads.
     *
     * @param whenBroken called once when it cannot be gone on with
     * @throws FileException if this peer does not lead any more
     */
    static ReplicatedLog open(RaftServer server, RaftGroupId group, FactStateMachine machine, Runnable whenBroken) {
        ReplicatedLog log = new ReplicatedLog(server, group, machine, whenBroken);
        log.submit(new FactChange(FactChange.Kind.OPEN, log.writer, List.of()));
        return log;
    }

    /** Complete: the change that opened this log was applied after all earlier ones. */
    @Override
    public List<Journal.Entry> entries() {
        return machine.entries();
    }

    @Override
    public void append(long at, List<Fact> facts) {
        if (!facts.isEmpty()) {
            size += submit(new FactChange(FactChange.Kind.APPEND, writer, List.of(new Journal.Entry(at, facts))));
        }
    }

    @Override
    public boolean isLong() {
        return size > limit;
    }

    @Override
    public void compact(List<Journal.Entry> summary) {
        size = submit(new FactChange(FactChange.Kind.SUMMARY, writer, summary));
        limit = Math.max(SHORT, GROWTH * size);
    }

    /** Returns the change's bytes when a majority has it. */
    private int submit(FactChange change) {
        if (broken != null) {
            throw broken;
        }
        byte[] bytes = change.toBytes();
        try {
            RaftClientReply reply = server.submitClientRequestAsync(RaftClientRequest.newBuilder()
                            .setClientId(client)
                            .setServerId(server.getId())
                            .setGroupId(group)
                            .setCallId(calls++)
                            .setMessage(Message.valueOf(ByteString.copyFrom(bytes)))
                            .setType(RaftClientRequest.writeRequestType())
                            .build())
                    .get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            if (!reply.isSuccess()) {
                throw breakOff("a majority did not confirm it: " + reply.getException(), reply.getException());
            }
            if (FactStateMachine.FENCED.getContent().equals(reply.getMessage().getContent())) {
                throw breakOff("another peer leads since then", null);
            }
            return bytes.length;
        } catch (IOException | ExecutionException e) {
            throw breakOff("it could not be replicated: " + e.getMessage(), e);
        } catch (TimeoutException e) {
            throw breakOff("a majority did not confirm it within " + LIMIT.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw breakOff("it was interrupted", e);
        }
    }

    private FileException breakOff(String why, Throwable cause) {
        broken = new FileException("the replicated log", why, cause);
        whenBroken.run();
        return broken;
    }

    /** The peer goes on holding the facts. */
    @Override
    public void close() {
        broken = broken == null ? new FileException("the replicated log", "was closed", null) : broken;
    }
}
