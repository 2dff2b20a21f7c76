package dev.tutti.strategy.parallel.pipeline;

import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageTimeoutException;
import dev.tutti.comm.Messages;
import dev.tutti.comm.Team;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What the parts of a model on different members give to each other. Sends are buffered and leave on threads of their own, one for each
 * neighbour, so no order of slots can make two stages wait for each other. What is received has a deadline, and its error names the stage
 * that did not deliver.
 */
public final class StageLinks implements AutoCloseable {
    /** So often a member that waits asks whether the group has changed: a stage further away may be lost. */
    private static final Duration GLANCE = Duration.ofMillis(200);

    private final Team team;
    private final List<Member> holders;
    private final String topic;
    private final Duration deadline;
    private final Map<Member, ExecutorService> senders = new HashMap<>();
    private final Map<String, Deque<Message>> here = new HashMap<>();
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private long sentBytes;

    /**
     * Links of one generation of a group.
     *
     * @param holders the member that holds each part, in this member's set and slice
     * @param set tells the sets and slices of a group apart
     */
    public StageLinks(Team team, List<Member> holders, String set, Duration deadline) {
        this.team = team;
        this.holders = List.copyOf(holders);
        this.deadline = deadline;
        topic = "pipeline/" + team.group().generation() + "/" + set + "/";
    }

    private Member self() {
        return team.group().self();
    }

    private String topic(boolean backward, int part) {
        return topic + (backward ? "gradients/" : "activations/") + part;
    }

    /**
     * Gives tensors to another part. They may be closed when this returns, and are not to be changed.
     *
     * @param key tells what they belong to; the receiver expects the same
     */
    void send(boolean backward, int toPart, String key, List<Tensor> tensors) {
        check();
        Member to = holders.get(toPart);
        List<Tensor> held = tensors.stream()
                .map(each -> each.detach().contiguous().retain())
                .toList();
        Message message = Message.of(key, held.toArray(Tensor[]::new));
        if (to.equals(self())) {
            here.computeIfAbsent(topic(backward, toPart), name -> new ArrayDeque<>())
                    .add(message);
            return;
        }
        for (Tensor tensor : held) {
            sentBytes += tensor.size() * tensor.type().bytes();
        }
        Messages messages = team.messages();
        String name = topic(backward, toPart);
        senders.computeIfAbsent(to, StageLinks::sender).execute(() -> {
            try (message) {
                if (failure.get() != null) {
                    return; // the receiver is not to see what comes behind a gap
                }
                messages.send(to, name, message, deadline);
            } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
            }
        });
    }

    private static ExecutorService sender(Member to) {
        return Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "tutti-stage-to-" + to.id());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Bytes that left for other members so far. */
    public long sentBytes() {
        return sentBytes;
    }

    /** What another part has given to one of this member's. */
    Message receive(boolean backward, int fromPart, int part, String key) {
        String name = topic(backward, part);
        Member from = holders.get(fromPart);
        if (from.equals(self())) {
            Deque<Message> queue = here.get(name);
            if (queue == null || queue.isEmpty()) {
                throw new IllegalStateException("part " + part + " needs " + name + " before part " + fromPart
                        + " on the same member has given it: the schedule is wrong");
            }
            return expected(queue.poll(), key, from, fromPart);
        }
        long began = System.nanoTime();
        while (true) {
            check();
            try {
                return expected(team.messages().receive(from, name, GLANCE), key, from, fromPart);
            } catch (MessageTimeoutException e) {
                team.check();
                if (System.nanoTime() - began > deadline.toNanos()) {
                    throw new MemberLostException(
                            List.of(from.id()),
                            "stage " + fromPart + " (" + from + ") did not deliver the "
                                    + (backward ? "gradients" : "activations") + " of " + key + " for stage " + part
                                    + " within " + deadline.toSeconds() + " s");
                }
            }
        }
    }

    private static Message expected(Message message, String key, Member from, int fromPart) {
        if (!message.text().equals(key)) {
            String received = message.text();
            message.close();
            throw new TrainingException("stage " + fromPart + " (" + from + ") sent " + received + ", expected " + key
                    + ": do all members run the same job?");
        }
        return message;
    }

    private void check() {
        RuntimeException failed = failure.get();
        if (failed instanceof MessageTimeoutException timeout) {
            throw new MemberLostException(List.of(timeout.member()), timeout.getMessage(), timeout);
        }
        if (failed instanceof GroupChangedException changed) {
            throw changed;
        }
        if (failed != null) {
            throw failed;
        }
    }

    @Override
    public void close() {
        senders.values().forEach(ExecutorService::shutdownNow);
        senders.clear();
        here.values().forEach(queue -> queue.forEach(Message::close));
        here.clear();
    }
}
