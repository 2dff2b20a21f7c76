package dev.tutti.strategy.ps;

import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.Team;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spreads the shards over the servers. The server that carries most gives a shard to the one that carries least, one at a time, if that
 * leaves the fuller of the two with clearly less. A shard counts by its share of all bytes; where a server is busy with changes for most of
 * its time, also by the time that it takes. So servers that join get shards, and a hot server gives some away.
 */
final class ShardBalance {
    private static final Logger LOG = LoggerFactory.getLogger(ShardBalance.class);
    private static final Duration LIMIT = Duration.ofSeconds(2);

    /** A server that is busy for a larger share of its time is hot. */
    private static final double HOT = 0.5;

    /** How much less the giver has to have afterwards than before, as a part of it: less is not worth a move. */
    private static final double WORTH = 0.1;

    /** The weight of the newest look in the busy time of a shard. */
    private static final double NEWEST = 0.3;

    private final Team team;
    private final BackupLinks links;
    private final Map<Integer, HostedShard> shards;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final Map<Integer, Double> busyBefore = new HashMap<>();
    private final Map<Integer, Double> busyLately = new HashMap<>();
    private long lastLook = System.nanoTime();
    private volatile boolean leaving; // this server is not given any shards

    ShardBalance(Team team, BackupLinks links, Map<Integer, HostedShard> shards) {
        this.team = team;
        this.links = links;
        this.shards = shards;
    }

    /**
     * What a shard weighs on its primary.
     *
     * @param bytes of values and optimizer state
     * @param busy seconds of changes: all so far, or in each second lately
     * @param fixed whether it stays where it is: it is pinned, or about to move
     */
    record ShardLoad(long bytes, double busy, boolean fixed) {}

    /**
     * The primaries of a server.
     *
     * @param shards by number, with busy seconds in each second
     */
    record ServerLoad(Map<Integer, ShardLoad> shards) {
        private long bytes() {
            return shards.values().stream().mapToLong(ShardLoad::bytes).sum();
        }

        private double busy() {
            return shards.values().stream().mapToDouble(ShardLoad::busy).sum();
        }
    }

    /** A shard that goes to another server. */
    record Move(int shard, String to) {}

    /** What this server carries. */
    synchronized ServerLoad own() {
        Map<Integer, ShardLoad> out = new TreeMap<>();
        shards.forEach((number, shard) -> shard.load()
                .ifPresent(load -> out.put(
                        number, new ShardLoad(load.bytes(), busyLately.getOrDefault(number, 0.0), load.fixed()))));
        return new ServerLoad(out);
    }

    /**
     * The same for another server.
     *
     * @throws MessageRefusedException if this one is about to leave, so that it is not given anything
     */
    ServerLoad told() {
        if (leaving) {
            throw new MessageRefusedException(MessageRefusedException.FENCED, links.self() + " is about to leave");
        }
        return own();
    }

    private synchronized void measure() {
        double seconds = Math.max(1e-3, (System.nanoTime() - lastLook) / 1e9);
        lastLook = System.nanoTime();
        shards.forEach((number, shard) -> shard.load().ifPresent(load -> {
            double before = busyBefore.getOrDefault(number, load.busy());
            busyBefore.put(number, load.busy());
            double now = (load.busy() - before) / seconds;
            busyLately.merge(number, now, (old, next) -> (1 - NEWEST) * old + NEWEST * next);
        }));
    }

    /** Measures, asks the other servers, and perhaps begins a move; called again and again. */
    void look() {
        measure();
        boolean stays = leaving || links.others().isEmpty() || own().shards().size() < 2;
        if (stays || !looking.compareAndSet(false, true)) {
            return; // with one shard nothing is gained by giving it away
        }
        links.threads().execute(() -> {
            try {
                decide();
            } catch (RuntimeException e) {
                LOG.debug("the other servers could not be asked what they carry", e);
            } finally {
                looking.set(false);
            }
        });
    }

    /**
     * Gives every shard, also those that are pinned, to the server that carries least. The only server keeps them until another one has joined.
     *
     * @return whether this server is the primary of none any more
     */
    boolean giveAllAway() {
        leaving = true;
        for (int number : own().shards().keySet()) {
            Map<String, Member> members = new TreeMap<>();
            Map<String, ServerLoad> others = ask(members);
            HostedShard shard = shards.get(number);
            others.entrySet().stream()
                    .min(Comparator.comparingLong(each -> each.getValue().bytes()))
                    .ifPresent(least -> {
                        if (shard != null) {
                            LOG.info(
                                    "{} leaves: {} goes to {}",
                                    links.self(),
                                    ShardSnapshot.thing(number),
                                    least.getKey());
                            shard.handOver(members.get(least.getKey()))
                                    .exceptionally(failure -> false)
                                    .join();
                        }
                    });
        }
        return own().shards().isEmpty();
    }

    private void decide() {
        Map<String, Member> members = new TreeMap<>();
        Map<String, ServerLoad> all = ask(members);
        all.put(links.self(), own());
        choose(links.self(), all).ifPresent(move -> {
            LOG.info(
                    "{} goes from {} to {}, which carries less",
                    ShardSnapshot.thing(move.shard()),
                    links.self(),
                    move.to());
            HostedShard shard = shards.get(move.shard());
            if (shard != null) {
                shard.handOver(members.get(move.to())).join();
            }
        });
    }

    /** What the other servers carry; those that say it are added to the members. */
    private Map<String, ServerLoad> ask(Map<String, Member> members) {
        Map<String, ServerLoad> all = new TreeMap<>();
        Map<Member, CompletableFuture<Message>> asked = new HashMap<>();
        links.others()
                .forEach(server ->
                        asked.put(server, team.messages().ask(server, ShardServer.LOAD, Message.of("{}"), LIMIT)));
        asked.forEach((server, answer) -> {
            try (Message message = answer.join()) {
                all.put(server.id(), ShardRequests.read(message.head(), ServerLoad.class));
                members.put(server.id(), server);
            } catch (CompletionException e) {
                LOG.debug("{} does not say what it carries", server, e); // it gets nothing
            }
        });
        return all;
    }

    /** What a server gives away, and where to; empty if another one carries more, or nothing is gained. */
    static Optional<Move> choose(String self, Map<String, ServerLoad> all) {
        long bytes = 0;
        int count = 0;
        double busiest = 0;
        for (ServerLoad load : all.values()) {
            bytes += load.bytes();
            count += load.shards().size();
            busiest = Math.max(busiest, load.busy());
        }
        double total = bytes + (double) count;
        double busyCounts = busiest > HOT ? 1 : 0;
        Map<String, Double> carried = new TreeMap<>();
        all.forEach((server, load) -> carried.put(
                server,
                load.shards().values().stream()
                        .mapToDouble(shard -> cost(shard, total, busyCounts))
                        .sum()));
        double own = carried.get(self);
        boolean most = carried.entrySet().stream()
                .allMatch(each -> each.getValue() < own
                        || each.getValue() == own && each.getKey().compareTo(self) >= 0);
        if (!most) {
            return Optional.empty();
        }
        String least = carried.entrySet().stream()
                .min(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        Move best = null;
        double bestFuller = own * (1 - WORTH);
        for (Map.Entry<Integer, ShardLoad> each : all.get(self).shards().entrySet()) {
            double cost = cost(each.getValue(), total, busyCounts);
            double fuller = Math.max(own - cost, carried.get(least) + cost);
            if (!each.getValue().fixed() && fuller < bestFuller) {
                best = new Move(each.getKey(), least);
                bestFuller = fuller;
            }
        }
        return Optional.ofNullable(best);
    }

    private static double cost(ShardLoad shard, double total, double busyCounts) {
        return (shard.bytes() + 1) / total + busyCounts * shard.busy();
    }
}
