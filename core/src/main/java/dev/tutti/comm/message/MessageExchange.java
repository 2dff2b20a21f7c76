package dev.tutti.comm.message;

import dev.tutti.TuttiException;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.MessageTimeoutException;
import dev.tutti.comm.Messages;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The messages of one member, over any {@link MessageTransport}: here is what all transports have in common.
 *
 * <p>Links do not wait for each other: requests past a bound are refused, and sends past a bound wait at the sender until the
 * receiver has taken some. So a link is always read, and two members that send to each other cannot block each other.
 */
public final class MessageExchange implements Messages {
    private static final int LONGEST_TOPIC = 200;

    private final Member self;
    private final List<MessageTransport> transports;
    private final MessageLimits limits;
    private final RequestDispatcher dispatcher;
    private final Map<String, MessagePeer> peers = new ConcurrentHashMap<>();
    private final Map<Long, PendingAsk> asks = new ConcurrentHashMap<>();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicInteger connections = new AtomicInteger();
    private final ExecutorService threads;
    private final ScheduledThreadPoolExecutor alarms;
    private volatile boolean closed;

    private MessageExchange(Member self, List<MessageTransport> transports, MessageLimits limits) {
        this.self = self;
        this.transports = List.copyOf(transports);
        this.limits = limits;
        threads = Executors.newCachedThreadPool(work -> daemon(work, "tutti-messages-" + self));
        alarms = new ScheduledThreadPoolExecutor(1, work -> daemon(work, "tutti-messages-deadlines-" + self));
        alarms.setRemoveOnCancelPolicy(true);
        dispatcher = new RequestDispatcher(self, limits, threads);
    }

    /**
     * Opens the messages of a member.
     *
     * @param transports asked in their order for a way to another member
     */
    public static MessageExchange open(Member self, List<MessageTransport> transports, MessageLimits limits) {
        Engine.load(); // before any clock runs: the first time takes seconds
        MessageExchange exchange = new MessageExchange(self, transports, limits);
        try {
            exchange.transports.forEach(transport -> transport.open(self, exchange.new Reception()));
            return exchange;
        } catch (RuntimeException e) {
            exchange.close();
            throw e;
        }
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public Member self() {
        return self;
    }

    @Override
    public void serve(String topic, MessageHandler handler) {
        requireTopic(topic);
        dispatcher.serve(topic, handler);
    }

    @Override
    public void withdraw(String topic) {
        dispatcher.withdraw(topic);
    }

    @Override
    public CompletableFuture<Message> ask(Member to, String topic, Message message, List<Tensor> into, Duration limit) {
        check(topic, message, limit);
        into.forEach(tensor -> MessageLimits.requireDense(topic, tensor));
        requireOpen();
        long call = calls.incrementAndGet();
        PendingAsk ask = new PendingAsk(to, topic, into);
        MessagePeer peer = peer(to);
        asks.put(call, ask);
        var unused = ask.answer().whenComplete((answer, failure) -> asks.remove(call));
        MessageFrame frame =
                MessageFrame.of(MessageFrame.Kind.REQUEST, call, Math.max(1, limit.toMillis()), topic, message);
        try {
            ask.alarm(alarms.schedule(() -> expire(ask, limit), limit.toNanos(), TimeUnit.NANOSECONDS));
            Optional<MessageLink> link = peer.link();
            if (link.isPresent()) {
                transmit(ask, link.get(), frame);
            } else {
                threads.execute(() -> connectAndTransmit(ask, frame, limit));
            }
        } catch (RejectedExecutionException e) {
            frame.release();
            ask.fail(new MemberLostException(List.of(to.id()), "the messages of " + self + " were closed"));
        }
        return ask.answer();
    }

    private void connectAndTransmit(PendingAsk ask, MessageFrame frame, Duration limit) {
        try {
            transmit(ask, connected(ask.to(), limit), frame);
        } catch (TuttiException e) {
            frame.release();
            ask.fail(e);
        } catch (RuntimeException e) {
            frame.release();
            ask.fail(new MemberLostException(List.of(ask.to().id()), ask.to() + " cannot be reached: " + e, e));
        }
    }

    private void transmit(PendingAsk ask, MessageLink link, MessageFrame frame) {
        ask.link(link);
        sent.addAndGet(MessageFrame.bytes(frame.body()));
        link.transmit(frame);
        if (peer(ask.to()).window(link).isEmpty()) { // it broke before it could know that this waits for it
            ask.failWritten(lost(link.peer(), ask, "its connection broke"));
        }
    }

    private void expire(PendingAsk ask, Duration limit) {
        ask.fail(new MessageTimeoutException(
                ask.to().id(), ask.to() + " did not answer " + ask + " within " + limit.toMillis() + " ms"));
    }

    private static MemberLostException lost(Member peer, PendingAsk ask, String why) {
        return new MemberLostException(
                List.of(peer.id()), peer + " is lost: " + why + "; the request " + ask + " has no answer");
    }

    @Override
    public void send(Member to, String topic, Message message, Duration limit) {
        check(topic, message, limit);
        requireOpen();
        long begin = System.nanoTime();
        MessageLink link = connected(to, limit);
        SendWindow window = peer(to).window(link)
                .orElseThrow(() -> new MemberLostException(
                        List.of(to.id()), "send '" + topic + "': " + to + " is lost: its connection broke"));
        long bytes = MessageFrame.bytes(message.body());
        window.enter(topic, bytes, limit.minusNanos(System.nanoTime() - begin));
        sent.addAndGet(bytes);
        link.transmit(MessageFrame.of(MessageFrame.Kind.SEND, 0, 0, topic, message));
    }

    @Override
    public Message receive(Member from, String topic, Duration limit) {
        requireTopic(topic);
        requireOpen();
        return peer(from).inbox().take(from, topic, limit);
    }

    private MessagePeer peer(Member member) {
        return peers.computeIfAbsent(member.id(), id -> new MessagePeer(member, limits));
    }

    private MessageLink connected(Member to, Duration limit) {
        return peer(to).connected(to, left -> connect(to, left), limit);
    }

    private MessageLink connect(Member to, Duration limit) {
        peer(to).gone().ifPresent(why -> {
            throw new MemberLostException(List.of(to.id()), to + " is gone: " + why);
        });
        for (MessageTransport transport : transports) {
            Optional<MessageLink> link = transport.connect(to, limit);
            if (link.isPresent()) {
                admit(link.get());
                return link.get();
            }
        }
        throw new MemberLostException(List.of(to.id()), to + " cannot be reached: it serves no messages, or is gone");
    }

    private void admit(MessageLink link) {
        connections.incrementAndGet();
        MessagePeer peer = peer(link.peer());
        peer.add(link);
        link.start();
        if (closed) {
            link.close("the messages of " + self + " were closed");
        }
        peer.gone().ifPresent(link::close);
    }

    private void check(String topic, Message message, Duration limit) {
        requireTopic(topic);
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("'" + topic + "': expected a positive limit, received " + limit);
        }
        limits.require(topic, message);
    }

    private static void requireTopic(String topic) {
        if (topic.isEmpty() || topic.length() > LONGEST_TOPIC) {
            throw new IllegalArgumentException(
                    "expected a topic of 1 to " + LONGEST_TOPIC + " characters, received '" + topic + "'");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the messages of " + self + " are closed");
        }
    }

    @Override
    public void disconnect(Member member, String why) {
        MessagePeer peer = peers.get(member.id());
        if (peer != null) {
            peer.links().forEach(link -> link.close(why));
        }
    }

    /** Breaks off with a member for good: it is gone, and what it still says is not heard. */
    public void giveUp(Member member, String why) {
        peer(member).giveUp(why);
        disconnect(member, why);
    }

    @Override
    public Traffic traffic() {
        return new Traffic(sent.get(), received.get());
    }

    /** Members that this one is connected with, is connecting with, or waits for an answer of. */
    public List<Member> inTouch() {
        Set<String> asked = asks.values().stream().map(ask -> ask.to().id()).collect(Collectors.toSet());
        return peers.values().stream()
                .filter(peer -> peer.isInTouch() || asked.contains(peer.member().id()))
                .map(MessagePeer::member)
                .toList();
    }

    /** Links there have been so far. */
    int connectionsOpened() {
        return connections.get();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        String why = self + " closed its messages";
        transports.forEach(MessageTransport::close);
        peers.values().forEach(peer -> {
            peer.links().forEach(link -> link.close(why));
            peer.inbox().close(why);
        });
        alarms.shutdownNow();
        threads.shutdown();
        new ArrayList<>(asks.values())
                .forEach(
                        ask -> ask.fail(new MemberLostException(List.of(ask.to().id()), why)));
    }

    /** Takes in what comes over links. */
    private final class Reception implements LinkListener {
        @Override
        public void accepted(MessageLink link) {
            admit(link);
        }

        @Override
        public void received(MessageLink link, MessageFrame frame) {
            received.addAndGet(MessageFrame.bytes(frame.body()));
            MessagePeer peer = peer(link.peer());
            switch (frame.kind()) {
                case REQUEST -> dispatcher.dispatch(link, peer, frame, this::answer);
                case ANSWER -> end(link, frame, ask -> ask.complete(frame));
                case REFUSAL -> end(link, frame, ask -> ask.fail(refusal(frame, ask)));
                case SEND -> take(link, peer, frame);
                case TAKEN -> peer.window(link).ifPresent(window -> window.leave(frame.call()));
                case SHARE, SHARED -> link.close("expected its link to keep " + frame.kind() + " to itself");
            }
        }

        private void take(MessageLink link, MessagePeer peer, MessageFrame frame) {
            long bytes = MessageFrame.bytes(frame.body());
            int untaken =
                    peer.inbox().add(frame.text(), frame.message(), () -> link.transmit(MessageFrame.taken(bytes)));
            if (untaken > 4 * limits.sends()) { // one that keeps to the bound has at most that many over each link
                link.close("it has sent " + untaken + " messages that were not taken, the limit is " + limits.sends());
            }
        }

        private void answer(MessageLink link, MessageFrame frame) {
            sent.addAndGet(MessageFrame.bytes(frame.body()));
            link.transmit(frame);
        }

        private void end(MessageLink link, MessageFrame frame, Consumer<PendingAsk> how) {
            asked(link, frame.call()).ifPresentOrElse(how, frame::release); // none if it came too late
        }

        /** A request that was made over a link: other links have no answer to give to it. */
        private Optional<PendingAsk> asked(MessageLink link, long call) {
            return Optional.ofNullable(asks.get(call)).filter(ask -> link.equals(ask.link()));
        }

        private static MessageRefusedException refusal(MessageFrame frame, PendingAsk ask) {
            int end = frame.text().indexOf('\n');
            return new MessageRefusedException(
                    frame.text().substring(0, Math.max(0, end)),
                    ask.to() + " refused " + ask + ": " + frame.text().substring(end + 1));
        }

        @Override
        public List<Tensor> destinations(MessageLink link, long call) {
            return asked(link, call).map(PendingAsk::claimDestinations).orElse(List.of());
        }

        @Override
        public void broken(MessageLink link, String why) {
            peer(link.peer()).remove(link, why);
            for (PendingAsk ask : asks.values()) {
                if (link.equals(ask.link())) {
                    ask.failWritten(lost(link.peer(), ask, why));
                }
            }
        }
    }
}
