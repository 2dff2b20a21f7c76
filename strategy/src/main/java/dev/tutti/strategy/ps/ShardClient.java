package dev.tutti.strategy.ps;

import dev.tutti.array.Range;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.MessageTimeoutException;
import dev.tutti.comm.Team;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/**
 * A worker's way to the shards. A request goes to the primary of its shard; when that one is lost, it goes to the next one as soon as
 * there is one. All shards are asked at the same time.
 */
final class ShardClient {
    /** How long one request may take before it is made again. */
    private static final Duration ATTEMPT = Duration.ofSeconds(30);

    /** How long a push may take to its end when the group has changed meanwhile. */
    private static final Duration TO_THE_END = Duration.ofMillis(300);

    /** How often a worker that waits looks whether its group still stands. */
    private static final long LOOK_MILLIS = 100;

    private static final Set<String> WORTH_REPEATING = Set.of(
            MessageRefusedException.FENCED,
            MessageRefusedException.OLD_TERM,
            MessageRefusedException.BUSY,
            MessageRefusedException.UNKNOWN_TOPIC);

    private final Team team;
    private final List<Range> ranges;
    private final Duration patience;
    private final Route[] routes;

    /** The primary of a shard as far as this worker knows. */
    private record Route(Member primary, List<Member> copies, long term) {}

    /** @param patience how long a shard may be without a primary, and a worker may wait for others */
    ShardClient(Team team, List<Range> ranges, Duration patience) {
        this.team = team;
        this.ranges = List.copyOf(ranges);
        this.patience = patience;
        routes = new Route[ranges.size()];
    }

    /** A way to so many shards whose ranges do not matter. */
    ShardClient(Team team, int shards, Duration patience) {
        this(team, Collections.nCopies(shards, new Range(0, 0)), patience);
    }

    int shards() {
        return ranges.size();
    }

    Range range(int shard) {
        return ranges.get(shard);
    }

    /**
     * A request to one shard.
     *
     * @param into memory that the answer is written into; none: memory of its own
     * @param waits whether the answer may have to wait for other workers
     * @param anyCopy whether a backup may answer as well
     * @param throughChanges whether it is made to the end when the group of the workers has changed meanwhile
     */
    record Request(Message message, List<Tensor> into, boolean waits, boolean throughChanges, boolean anyCopy) {
        static Request of(Object head, Tensor... body) {
            return new Request(ShardRequests.message(head, body), List.of(), false, false, false);
        }

        /** The same, with an answer that is written into memory of the worker's. */
        Request into(Tensor memory) {
            return new Request(message, List.of(memory), waits, throughChanges, anyCopy);
        }

        /** The same, whose answer has to wait for other workers. */
        Request waiting() {
            return new Request(message, into, true, throughChanges, anyCopy);
        }

        /** The same, for what must not be left half done: other workers may be lost, servers are not touched by it. */
        Request toTheEnd() {
            return new Request(message, into, waits, true, anyCopy);
        }

        /** The same, which a backup may answer: it has all that was acknowledged. */
        Request byAnyCopy(boolean any) {
            return new Request(message, into, waits, throughChanges, any);
        }
    }

    /** Asks all shards; the answers are in their order, and the caller closes them. */
    List<Message> all(String topic, IntFunction<Request> requests) {
        return begin(topic, requests).await();
    }

    /** Requests to all shards that are under way. */
    final class Pending {
        private final String topic;
        private final List<Request> asked = new ArrayList<>();
        private final List<CompletableFuture<Message>> answers = new ArrayList<>();

        private Pending(String topic) {
            this.topic = topic;
        }

        /** The answers, in the order of the shards; null where nothing was asked. */
        List<Message> await() {
            List<Message> out = new ArrayList<>();
            RuntimeException failure = null;
            for (int shard = 0; shard < shards(); shard++) {
                Request request = asked.get(shard);
                try {
                    boolean left = failure != null && !(request != null && request.throughChanges());
                    out.add(request == null || left ? null : complete(shard, topic, request, answers.get(shard)));
                } catch (RuntimeException e) { // what must not be half done is made to the end on the other shards
                    failure = failure == null ? e : failure;
                }
            }
            if (failure != null) {
                out.stream().filter(Objects::nonNull).forEach(Message::close);
                throw failure;
            }
            return out;
        }
    }

    /**
     * Asks all shards and does not wait.
     *
     * @param requests null for a shard that is not asked
     */
    Pending begin(String topic, IntFunction<Request> requests) {
        Pending pending = new Pending(topic);
        for (int shard = 0; shard < shards(); shard++) {
            Request request = requests.apply(shard);
            pending.asked.add(request);
            pending.answers.add(request == null ? null : begin(shard, topic, request));
        }
        return pending;
    }

    /** The same without interest in the answers. */
    void tell(String topic, IntFunction<Request> requests) {
        all(topic, requests).stream().filter(Objects::nonNull).forEach(Message::close);
    }

    /** Asks one shard. */
    Message one(int shard, String topic, Request request) {
        return complete(shard, topic, request, begin(shard, topic, request));
    }

    private CompletableFuture<Message> begin(int shard, String topic, Request request) {
        if (routes[shard] == null) {
            Optional<Route> found = lookUp(shard);
            if (found.isEmpty()) {
                return CompletableFuture.failedFuture(
                        new MessageRefusedException(MessageRefusedException.FENCED, "no primary is known"));
            }
            routes[shard] = found.get();
        }
        Route route = routes[shard];
        Message message = request.message().term(route.term());
        int place = Math.floorMod(
                shard + team.messages().self().id().hashCode(), route.copies().size());
        Member to = request.anyCopy() ? route.copies().get(place) : route.primary();
        return team.messages().ask(to, topic, message, request.into(), ATTEMPT);
    }

    /** @throws GroupChangedException if all copies of the shard are lost */
    private Optional<Route> lookUp(int shard) {
        Optional<Holding> holding = team.ownership().of(ShardSnapshot.thing(shard));
        if (holding.isPresent() && holding.get().first().isEmpty()) {
            throw new GroupChangedException("all copies of shard " + shard + " of the parameters are lost");
        }
        List<Member> servers = servers();
        return holding.flatMap(held -> servers.stream()
                .filter(member -> held.isFirst(member.id()))
                .findFirst()
                .map(member -> new Route(
                        member,
                        servers.stream()
                                .filter(each -> held.holders().contains(each.id()))
                                .toList(),
                        held.term())));
    }

    /** The servers that are there; a worker alone is its own. */
    List<Member> servers() {
        List<Member> servers = new ArrayList<>(team.members(BackupLinks.ROLE));
        if (servers.isEmpty() && team.group().size() == 1) {
            servers.add(team.messages().self());
        }
        return servers;
    }

    private Message complete(int shard, String topic, Request request, CompletableFuture<Message> first) {
        long began = System.nanoTime();
        Duration limit = request.waits() ? Duration.ofHours(1).plus(patience) : patience;
        long lastAnswer = began;
        long changed = 0; // when the group was first seen to have changed
        CompletableFuture<Message> attempt = first;
        while (true) {
            try {
                return attempt.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                changed = check(
                        request, changed); // the answer may be to come: a server, or another worker, takes its time
                requireTime(shard, topic, began, limit, "it has not answered");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TrainingException("interrupted while waiting for a parameter server");
            } catch (ExecutionException e) {
                requireWorthRepeating(topic, e.getCause());
                changed = check(request, changed);
                boolean waits = request.waits() && e.getCause() instanceof MessageTimeoutException;
                if (waits) {
                    lastAnswer = System.nanoTime(); // the server is there, and waits for another worker
                } else {
                    requireTime(shard, topic, lastAnswer, patience, e.getCause().getMessage());
                    pause();
                }
                requireTime(shard, topic, began, limit, e.getCause().getMessage());
                routes[shard] = null;
                attempt = begin(shard, topic, request.byAnyCopy(false)); // a backup may have been left out
            }
        }
    }

    /** What has to be made to the end gets a moment for it: longer than a push takes, shorter than a lost worker's way back. */
    private long check(Request request, long changed) {
        try {
            team.check();
            return changed;
        } catch (GroupChangedException e) {
            if (!request.throughChanges() || changed != 0 && System.nanoTime() - changed > TO_THE_END.toNanos()) {
                throw e;
            }
            return changed == 0 ? System.nanoTime() : changed;
        }
    }

    private static void requireTime(int shard, String topic, long since, Duration limit, String why) {
        if (System.nanoTime() - since > limit.toNanos()) {
            throw new TrainingException("shard " + shard + " of the parameters did not answer '" + topic + "' within "
                    + limit.toSeconds() + " s: " + why);
        }
    }

    /** @throws TrainingException unless the failure is one that another attempt, or another group, may not meet with */
    static void requireWorthRepeating(String topic, Throwable failure) {
        boolean passing = failure instanceof MemberLostException
                || failure instanceof MessageTimeoutException
                || failure instanceof MessageRefusedException refused && WORTH_REPEATING.contains(refused.code());
        if (!passing) {
            throw new TrainingException("a parameter server refused '" + topic + "': " + failure.getMessage());
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted while waiting for a parameter server");
        }
    }

    /** Where shards were set up anew: what was known of them does not hold. */
    void forgetRoutes() {
        Arrays.fill(routes, null);
    }
}
