package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Hands messages over between members that are threads of one JVM: the receiver gets the memory of the sender's tensors. */
public final class MemoryMessageTransport implements MessageTransport {
    private static final Map<String, Hub> JOBS = new ConcurrentHashMap<>();

    private final Hub hub;
    private Member self;
    private LinkListener listener;

    /** The members of one job in this JVM. */
    public static final class Hub {
        private final Map<String, MemoryMessageTransport> members = new ConcurrentHashMap<>();
    }

    public MemoryMessageTransport(Hub hub) {
        this.hub = hub;
    }

    /** For the members of a job in this JVM. @param job what tells jobs apart; not kept longer than its members */
    public static MemoryMessageTransport ofJob(String job) {
        return new MemoryMessageTransport(JOBS.computeIfAbsent(job, name -> new Hub()));
    }

    @Override
    public void open(Member member, LinkListener of) {
        self = member;
        listener = of;
        if (hub.members.putIfAbsent(member.id(), this) != null) {
            throw new IllegalStateException("there are messages of " + member + " in this JVM already");
        }
    }

    @Override
    public Optional<MessageLink> connect(Member to, Duration limit) {
        MemoryMessageTransport other = hub.members.get(to.id());
        if (other == null) {
            return Optional.empty();
        }
        MemoryLink there = new MemoryLink(to);
        MemoryLink back = other.new MemoryLink(self);
        there.other = back;
        back.other = there;
        other.listener.accepted(back);
        return Optional.of(there);
    }

    @Override
    public void close() {
        if (self != null) {
            hub.members.remove(self.id(), this);
        }
        JOBS.values().removeIf(job -> job == hub && job.members.isEmpty());
    }

    /** One end of a link; what it transmits the other end receives at once, on the same thread. */
    private final class MemoryLink implements MessageLink {
        private final Member peer;
        private final AtomicBoolean ended = new AtomicBoolean();
        private MemoryLink other;

        MemoryLink(Member peer) {
            this.peer = peer;
        }

        @Override
        public Member peer() {
            return peer;
        }

        @Override
        public void transmit(MessageFrame frame) {
            if (ended.get()) {
                frame.release();
            } else {
                other.receive(frame);
            }
        }

        private void receive(MessageFrame frame) {
            listener.received(this, frame);
        }

        @Override
        public void close(String why) {
            end(why);
            other.end(self + " ended the connection: " + why);
        }

        private void end(String why) {
            if (ended.compareAndSet(false, true)) {
                listener.broken(this, why);
            }
        }
    }
}
