package dev.tutti.strategy.ps;

import dev.tutti.comm.Holding;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.MessageRequest;
import dev.tutti.comm.MessageRequest.AnswerMemory;
import dev.tutti.comm.Messages;
import dev.tutti.comm.Team;
import dev.tutti.strategy.ps.ShardRequests.About;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Commit;
import dev.tutti.strategy.ps.ShardRequests.Cut;
import dev.tutti.strategy.ps.ShardRequests.Entry;
import dev.tutti.strategy.ps.ShardRequests.Hold;
import dev.tutti.strategy.ps.ShardRequests.Length;
import dev.tutti.strategy.ps.ShardRequests.Look;
import dev.tutti.strategy.ps.ShardRequests.Pull;
import dev.tutti.strategy.ps.ShardRequests.Push;
import dev.tutti.strategy.ps.ShardRequests.Pushed;
import dev.tutti.strategy.ps.ShardRequests.Rows;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * The shards of one server, and what workers and other servers may ask of them.
 *
 * <p>Order of calls: {@link #serve} once; {@link #addBackups} and {@link #takeSnapshots} from time to time; then {@link #close}.
 */
final class ShardServer implements AutoCloseable {
    static final String SET_UP = "parameters.set-up";
    static final String PULL = "parameters.pull";
    static final String LENGTH = "parameters.length";
    static final String LOOK = "parameters.look";

    static final String ROWS = "parameters.rows";
    static final String STATE = "parameters.state";
    static final String PROGRESS = "parameters.progress";
    static final String HOLD = "parameters.hold";
    static final String CUT = "parameters.cut";
    static final String LOAD = "parameters.load";

    private final Team team;
    private final Messages messages;
    private final ExecutorService threads = Executors.newCachedThreadPool(ShardServer::daemon);
    private final BackupLinks links;
    private final Map<Integer, HostedShard> shards = new ConcurrentHashMap<>();
    private final List<String> served = new ArrayList<>();
    private final ShardSnapshots snapshots;
    private final ShardBalance balance;

    ShardServer(Team team) {
        this.team = team;
        messages = team.messages();
        links = new BackupLinks(team, messages, threads);
        snapshots = new ShardSnapshots(team, threads);
        balance = new ShardBalance(team, links, shards);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "tutti-shards");
        thread.setDaemon(true);
        return thread;
    }

    ShardServer serve() {
        serve(SET_UP, request -> {
            ShardSnapshot snapshot = ShardRequests.read(request.message().head(), ShardSnapshot.class);
            return shard(snapshot.shard()).setUp(snapshot, request.message());
        });
        serve(BackupLinks.INSTALL, MessageHandler.of(request -> {
            ShardSnapshot snapshot = ShardRequests.read(request.message().head(), ShardSnapshot.class);
            return shard(snapshot.shard()).install(snapshot, request.message());
        }));
        for (Change change : Change.values()) {
            serve(BackupLinks.topic(change), request -> change(change, request));
            serve(
                    BackupLinks.followTopic(change),
                    request -> shard(number(request.message())).follow(change, request.message()));
        }
        serve(PULL, request -> {
            Pull pull = ShardRequests.read(request.message().head(), Pull.class);
            return known(pull.shard())
                    .readCopy(
                            request.message(),
                            shard -> shard.version() >= pull.atLeast()
                                    && (pull.turn() == null || shard.clocks().mayGoOn(pull.turn(), pull.staleness())),
                            shard -> ShardRequests.message(shard.progress(), shard.values(request.memory())));
        });
        serve(LENGTH, request -> {
            Length length = ShardRequests.read(request.message().head(), Length.class);
            return known(length.shard())
                    .read(
                            request.message(),
                            shard -> true,
                            shard -> Message.of("", Tensor.of(new double[] {shard.squaredLength(length)}, 1)));
        });
        serve(ROWS, request -> {
            Rows rows = ShardRequests.read(request.message().head(), Rows.class);
            return known(rows.shard())
                    .readCopy(
                            request.message(),
                            shard -> true,
                            shard -> Message.of(
                                    "",
                                    shard.tables()
                                            .read(
                                                    rows.table(),
                                                    request.message().body().get(0))));
        });
        serve(LOOK, request -> {
            Look look = ShardRequests.read(request.message().head(), Look.class);
            return known(look.shard())
                    .read(
                            request.message(),
                            shard -> look.awaited() == null || shard.clocks().allDone(look.awaited()),
                            shard -> entries(shard, look.from()));
        });
        serve(
                STATE,
                request -> known(about(request.message()))
                        .read(request.message(), shard -> true, shard -> shard.snapshot(0)));
        serve(
                PROGRESS,
                request -> known(about(request.message()))
                        .read(request.message(), shard -> true, shard -> ShardRequests.message(shard.progress())));
        serveSnapshots();
        return this;
    }

    private void serveSnapshots() {
        serve(HOLD, MessageHandler.of(request -> {
            Hold hold = ShardRequests.read(request.message().head(), Hold.class);
            return known(hold.shard()).hold(request.message(), hold.cut());
        }));
        serve(LOAD, MessageHandler.of(request -> ShardRequests.message(balance.told())));
        serve(CUT, request -> {
            Cut cut = ShardRequests.read(request.message().head(), Cut.class);
            return known(cut.shard())
                    .cut(request.message(), cut.cut(), cut.upTo())
                    .thenApplyAsync(copy -> ShardSnapshots.write(cut, copy), threads);
        });
    }

    /** Writes snapshots of all shards when it is time, where this server is the primary of the first. */
    void takeSnapshots() {
        HostedShard first = shards.get(0);
        if (first != null) {
            first.policyOfPrimary().ifPresent(policy -> snapshots.look(policy, first.version()));
        }
    }

    private void serve(String topic, MessageHandler handler) {
        messages.serve(topic, handler);
        served.add(topic);
    }

    private static int about(Message message) {
        return ShardRequests.read(message.head(), About.class).shard();
    }

    private CompletionStage<Message> change(Change change, MessageRequest request) {
        Message message = request.message();
        HostedShard shard = known(number(message));
        if (change == Change.REPORT) {
            Entry entry = ShardRequests.read(message.head(), Entry.class);
            return shard.change(change, message, now -> entries(now, entry.from()));
        }
        if (change == Change.PUSH) {
            Push push = ShardRequests.read(message.head(), Push.class);
            return shard.change(change, message, now -> pushed(now, push, request.memory()));
        }
        if (change == Change.COMMIT
                && ShardRequests.read(message.head(), Commit.class).values()) {
            return shard.change(
                    change, message, now -> ShardRequests.message(now.progress(), now.values(request.memory())));
        }
        return shard.change(change, message, now -> ShardRequests.message(now.progress()));
    }

    private static Message pushed(ParameterShard shard, Push push, AnswerMemory memory) {
        long[] entries = push.contents().entry() ? shard.board().from(push.from()) : new long[0];
        Pushed head = new Pushed(
                shard.version(), !shard.isAccepted(push), entries.length > Pushed.MOST_NUMBERS ? null : entries);
        return shard.mayHaveValues(push)
                ? ShardRequests.message(head, shard.values(memory))
                : ShardRequests.message(head);
    }

    private static Message entries(ParameterShard shard, long from) {
        long[] numbers = shard.board().from(from);
        return Message.of("", Tensor.of(numbers, numbers.length));
    }

    /** The shard that a request is about: the first number in every head. */
    private static int number(Message message) {
        return ShardRequests.shard(message.head());
    }

    private HostedShard shard(int number) {
        return shards.computeIfAbsent(
                number, each -> new HostedShard(ShardSnapshot.thing(each), team.ownership(), links));
    }

    private HostedShard known(int number) {
        HostedShard shard = shards.get(number);
        if (shard == null) {
            throw new MessageRefusedException(
                    MessageRefusedException.FENCED, links.self() + " does not hold " + ShardSnapshot.thing(number));
        }
        return shard;
    }

    /** Gives copies of this server's shards to servers that have joined, where backups are missing. */
    void addBackups() {
        shards.values().forEach(shard -> {
            var unused = shard.addBackups();
        });
    }

    /** Takes up what this server has become the primary of, and lets copies go that the table does not name any more. */
    void followTable() {
        Map<String, Holding> table = team.ownership().all(ShardSnapshot.THINGS).stream()
                .collect(Collectors.toMap(Holding::thing, held -> held));
        shards.forEach((number, shard) -> {
            Optional<Holding> now = Optional.ofNullable(table.get(ShardSnapshot.thing(number)));
            shard.promote(now);
            if (shard.isLeftOver(now) && shards.remove(number, shard)) {
                shard.close();
            }
        });
    }

    /** Gives a shard to a server that has less, if there is one. */
    void balance() {
        balance.look();
    }

    /** Gives all shards to the other servers, as this one is about to leave; says whether they have all. Called again and again until then. */
    boolean giveAllAway() {
        return balance.giveAllAway();
    }

    /** Updates that the shards of this server have seen, together: what a server has done, for people. */
    long changes() {
        return shards.values().stream().mapToLong(HostedShard::version).sum();
    }

    /** What this server holds, for people. */
    List<String> descriptions() {
        return shards.values().stream().map(HostedShard::description).sorted().toList();
    }

    @Override
    public void close() {
        served.forEach(messages::withdraw);
        shards.values().forEach(HostedShard::close);
        threads.shutdownNow();
    }
}
