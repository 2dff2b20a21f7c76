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
import java.util.List;
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
    private record Route(Member primary, long term) {}

    /** @param patience how long a shard may be without a primary, and a worker may wait for others */
    ShardClient(Team team, List<Range> ranges, Duration patience) {
        this.team = team;
        this.ranges = List.copyOf(ranges);
        this.patience = patience;
        routes = new Route[ranges.size()];
    }

    int shards() {
        return ranges.size();
    }

    Range range(int shard) {
        return ranges.get(shard);
    }

    /** A request to one shard. */
    record Request(Message message, List<Tensor> into) {
        static Request of(Object head, Tensor... body) {
            return new Request(ShardRequests.message(head, body), List.of());
        }

        /** The same, with an answer that is written into memory of the worker's. */
        Request into(Tensor memory) {
            return new Request(message, List.of(memory));
        }
    }

    /** Asks all shards; the answers are in their order, and the caller closes them. */
    List<Message> all(String topic, IntFunction<Request> requests) {
        List<Request> asked = new ArrayList<>();
        List<CompletableFuture<Message>> answers = new ArrayList<>();
        for (int shard = 0; shard < shards(); shard++) {
            asked.add(requests.apply(shard));
            answers.add(begin(shard, topic, asked.get(shard)));
        }
        List<Message> out = new ArrayList<>();
        for (int shard = 0; shard < shards(); shard++) {
            out.add(complete(shard, topic, asked.get(shard), answers.get(shard)));
        }
        return out;
    }

    /** The same without interest in the answers. */
    void tell(String topic, IntFunction<Request> requests) {
        all(topic, requests).forEach(Message::close);
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
        return team.messages().ask(route.primary(), topic, message, request.into(), ATTEMPT);
    }

    /** @throws GroupChangedException if all copies of the shard are lost */
    private Optional<Route> lookUp(int shard) {
        Optional<Holding> holding = team.ownership().of(ShardSnapshot.thing(shard));
        if (holding.isPresent() && holding.get().first().isEmpty()) {
            throw new GroupChangedException("all copies of shard " + shard + " of the parameters are lost");
        }
        return holding.flatMap(held -> servers().stream()
                .filter(member -> held.isFirst(member.id()))
                .findFirst()
                .map(member -> new Route(member, held.term())));
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
        long deadline = System.nanoTime() + patience.toNanos();
        CompletableFuture<Message> attempt = first;
        while (true) {
            try {
                return attempt.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                team.check(); // the answer may be to come: a server, or another worker, takes its time
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TrainingException("interrupted while waiting for a parameter server");
            } catch (ExecutionException e) {
                requireWorthRepeating(topic, e.getCause());
                team.check();
                boolean slow =
                        e.getCause() instanceof MessageTimeoutException; // waits for others; a lost member is noticed
                if (!slow && System.nanoTime() > deadline) {
                    throw new TrainingException("shard " + shard + " of the parameters did not answer '" + topic
                            + "' within " + patience.toSeconds() + " s: "
                            + e.getCause().getMessage());
                }
                if (!slow) {
                    pause();
                }
                routes[shard] = null;
                attempt = begin(shard, topic, request);
            }
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
