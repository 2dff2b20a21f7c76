package dev.tutti.strategy.ps;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.array.DType;
import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.MessageRequest.AnswerMemory;
import dev.tutti.json.Json;
import dev.tutti.optim.Clipping;
import dev.tutti.optim.Target;
import dev.tutti.optim.Update;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Commit;
import dev.tutti.strategy.ps.ShardRequests.Contents;
import dev.tutti.strategy.ps.ShardRequests.Drop;
import dev.tutti.strategy.ps.ShardRequests.Entry;
import dev.tutti.strategy.ps.ShardRequests.Push;
import dev.tutti.strategy.ps.ShardRequests.QuorumUpdate;
import dev.tutti.strategy.ps.ShardRequests.Settle;
import dev.tutti.strategy.ps.ShardRequests.Store;
import dev.tutti.strategy.ps.ShardSnapshot.ShardPolicy;
import dev.tutti.strategy.ps.SnapshotGate.CutMarks;
import dev.tutti.table.RowGradients;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A range of the model's vector with its part of the optimizer's state. It is a function of the changes that are carried out on it and
 * of their order: copies that carry out the same changes hold the same bits. One thread at a time uses it.
 */
final class ParameterShard implements AutoCloseable {
    /** A request does not fit what the shard is waiting for. */
    static final String OUT_OF_STEP = "out-of-step";

    private static final String PUSH = "push ";
    private static final String DROP = "drop ";

    private final ShardSnapshot setup;
    private final FlatVector vector;
    private final Update update;
    private final Map<String, Long> sequences = new TreeMap<>();
    private final StalenessClocks clocks = new StalenessClocks();
    private final EntryLog board = new EntryLog();
    private final Map<Integer, Tensor> stored = new TreeMap<>(); // gradients of the step under way, by rank
    private final Map<Integer, RowGradients> storedRows = new TreeMap<>(); // the same of rows
    private final PendingPushes pending = new PendingPushes();
    private final ShardTables tables;
    private long storedGeneration = -1;
    private long storedStep = -1;
    private Commit lastCommit; // null: none yet
    private QuorumUpdate lastQuorum; // null: none yet
    private long version;
    private List<Range> trainable;
    private int workers = 1; // that changes come from, as far as the last one says

    /** The shard of a snapshot, with copies of its tensors. */
    ParameterShard(ShardSnapshot snapshot, Message message) {
        setup = snapshot;
        long length = snapshot.range().length();
        requireLength(snapshot.values(message), length);
        vector = new FlatVector(length, DType.FLOAT32, Device.CPU);
        trainable = List.of(vector.all());
        update = snapshot.optimizer()
                .bind(new Target(vector, vector.all(), snapshot.localParameters(), () -> trainable));
        tables = new ShardTables(
                snapshot.tables().stream().map(ShardTables.Head::spec).toList(),
                snapshot.optimizer(),
                snapshot.parameters().stream().map(NamedRange::name).toList());
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            vector.values().copy_(snapshot.values(message));
            snapshot.states(message).forEach((name, tensor) -> state(name).copy_(tensor));
            for (int i = 0; i < snapshot.stored().size(); i++) {
                stored.put(
                        snapshot.stored().get(i),
                        snapshot.stored(message, i).copy().retain());
                storedRows.put(
                        snapshot.stored().get(i),
                        tables.gradients(snapshot.storedContents().get(i), snapshot.storedRows(message, i)));
            }
            pending.restore(
                    snapshot.pendingNames(), snapshot.pending(), message, snapshot.pendingAt(), tables::gradients);
            tables.restore(snapshot.tables(), message, snapshot.tablesAt());
        }
        storedGeneration = snapshot.storedGeneration();
        storedStep = snapshot.storedStep();
        lastCommit = snapshot.lastCommit();
        lastQuorum = snapshot.lastQuorum();
        version = snapshot.version();
        sequences.putAll(snapshot.sequences());
        board.beginAt(snapshot.entries());
        if (snapshot.clocks() != null) {
            clocks.restore(snapshot.clocks());
            board.restore(snapshot.board());
        }
    }

    private Tensor state(String name) {
        Tensor tensor = update.state().get(name);
        if (tensor == null) {
            throw new MessageRefusedException(
                    OUT_OF_STEP, "expected state of " + update.state().keySet() + ", received '" + name + "'");
        }
        return tensor;
    }

    int number() {
        return setup.shard();
    }

    int backups() {
        return setup.backups();
    }

    /** Bytes of values and optimizer state, without those of tables. */
    long bytes() {
        return Float.BYTES * vector.size() * (1 + update.state().size());
    }

    ShardPolicy policy() {
        return setup.policy();
    }

    long version() {
        return version;
    }

    /** How far it is. */
    ShardRequests.Progress progress() {
        return new ShardRequests.Progress(version, lastCommit, lastQuorum);
    }

    StalenessClocks clocks() {
        return clocks;
    }

    ShardTables tables() {
        return tables;
    }

    EntryLog board() {
        return board;
    }

    /**
     * Carries out a change. One that was carried out before changes nothing.
     *
     * @throws MessageRefusedException if it does not fit; nothing has changed then
     */
    void execute(Change change, Message message) {
        useCores();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            switch (change) {
                case STORE -> store(ShardRequests.read(message.head(), Store.class), message);
                case COMMIT -> commit(ShardRequests.read(message.head(), Commit.class));
                case PUSH -> push(ShardRequests.read(message.head(), Push.class), message);
                case REPORT -> report(ShardRequests.read(message.head(), Entry.class), message);
                case DROP -> drop(ShardRequests.read(message.head(), Drop.class));
                case SETTLE ->
                    settle(ShardRequests.read(message.head(), Settle.class).update());
            }
        }
    }

    /**
     * Each worker's change gets its part of the cores: changes of others, and on one machine the workers themselves, need the rest; so do
     * backups, which carry out the same change at the same time.
     */
    private void useCores() {
        Engine.useThreads(Math.max(1, Engine.cores() / Math.max(workers, 1 + setup.backups())));
    }

    private void store(Store request, Message message) {
        boolean older = request.generation() < storedGeneration
                || request.generation() == storedGeneration && request.step() < storedStep;
        if (older || request.step() < version) {
            return; // of a step that is over, or of a group that has met again
        }
        Tensor gradients = gradients(request.contents(), message);
        RowGradients rows = tables.gradients(request.contents(), message);
        if (request.generation() != storedGeneration || request.step() != storedStep) {
            forgetStored();
            storedGeneration = request.generation();
            storedStep = request.step();
        }
        Tensor before = stored.put(request.rank(), gradients.copy().retain());
        if (before != null) {
            before.close();
        }
        storedRows.put(request.rank(), rows);
    }

    private void forgetStored() {
        stored.values().forEach(Tensor::close);
        stored.clear();
        storedRows.clear();
    }

    private Tensor gradients(Contents contents, Message message) {
        Tensor gradients = PushBody.gradients(contents, message, vector.size());
        requireLength(gradients, vector.size());
        return gradients;
    }

    private static void requireLength(Tensor tensor, long length) {
        if (tensor.size() != length || tensor.type() != DType.FLOAT32) {
            throw new MessageRefusedException(
                    OUT_OF_STEP, "expected " + length + " floats for a shard of that size, received " + tensor);
        }
    }

    private void commit(Commit request) {
        if (request.step() < version) {
            return;
        }
        Tensor sum = sum(request.generation(), request.step(), request.ranks(), request.factor());
        setup.optimizer().clipping().clipValues(sum);
        if (request.clipScale() != 1) {
            sum.mul_(request.clipScale());
        }
        workers = request.ranks().size();
        RowGradients rows = sumOfRows(request.ranks(), request.factor());
        rows.scale(request.clipScale());
        tables.apply(rows, request.rate());
        apply(sum, request.rate(), request.trainable());
        lastCommit = request;
        forgetStored();
    }

    /** The sum of the gradients that are stored for a step, in the order of the ranks, times a factor. */
    private Tensor sum(long generation, long step, List<Integer> ranks, double factor) {
        // A step that was agreed on may be completed by a later group: what was stored for it is of the group that
        // agreed.
        if (step != version
                || step != storedStep
                || generation < storedGeneration
                || !stored.keySet().containsAll(ranks)) {
            throw new MessageRefusedException(
                    OUT_OF_STEP,
                    "shard " + number() + " is at step " + version + " and has the gradients of ranks "
                            + stored.keySet() + " for step " + storedStep + ", received a request for step " + step
                            + " of ranks " + ranks);
        }
        Tensor sum = stored.get(ranks.get(0)).copy();
        ranks.stream().skip(1).forEach(rank -> sum.add_(stored.get(rank)));
        return factor == 1 ? sum : sum.mul_(factor);
    }

    /** The same of the rows of tables, each number within its limit. */
    private RowGradients sumOfRows(List<Integer> ranks, double factor) {
        RowGradients sum = new RowGradients();
        ranks.forEach(rank -> sum.add(storedRows.getOrDefault(rank, new RowGradients())));
        sum.scale(factor);
        ShardTables.clipValues(setup.optimizer().clipping(), sum);
        return sum;
    }

    /** The squared length of a step's gradients. */
    double squaredLength(ShardRequests.Length request) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor sum = sum(request.generation(), request.step(), request.ranks(), request.factor());
            setup.optimizer().clipping().clipValues(sum);
            return Clipping.squaredNorm(sum)
                    + sumOfRows(request.ranks(), request.factor()).squaredNorm();
        }
    }

    private void push(Push request, Message message) {
        workers = request.turn().workers();
        boolean repeated = isRepeated(pushKey(request.worker()), request.sequence());
        boolean late = false;
        if (!repeated && request.quorum() == 0) {
            applyPush(request, message);
        } else if (!repeated && request.contents().dense() > 0) {
            late = request.base() != version;
            if (!late) {
                pending.add(
                        request.name(),
                        gradients(request.contents(), message),
                        tables.gradients(request.contents(), message));
                sequences.put("accepted " + request.worker(), request.sequence());
            }
        }
        long[] entry = PushBody.entry(request.contents(), message);
        if (entry != null) {
            if (!repeated && !late) {
                board.add(entry);
            }
            board.hasRead(request.turn(), request.from());
        }
        sequences.merge(pushKey(request.worker()), request.sequence(), Math::max);
        clocks.advance(request.turn());
        if (request.quorum() > 0) {
            applyPending(request);
        }
    }

    /** Whether a push has become, or becomes, a part of an update; not if it came too late for its version. */
    boolean isAccepted(Push request) {
        return request.quorum() == 0
                || sequences.getOrDefault("accepted " + request.worker(), 0L) >= request.sequence();
    }

    /** Whether the worker of a push that was carried out wants the values of now, and is not too far ahead of the others for them. */
    boolean mayHaveValues(Push request) {
        return request.staleness() != Push.NO_VALUES && clocks.mayGoOn(request.turn(), request.staleness());
    }

    /** An update takes as many pushes as it was told, or as there are workers left in the round. */
    private void applyPending(Push request) {
        if (pending.size() < Math.max(1, Math.min(request.quorum(), clocks.active()))) {
            return;
        }
        make(new QuorumUpdate(version + 1, pending.names(), request.rate(), request.trainable()));
    }

    /** The first shard has made an update: the others have the gradients of its pushes, as they came here before they went there. */
    private void settle(QuorumUpdate decided) {
        if (decided.version() <= version) {
            return;
        }
        if (decided.version() != version + 1 || !pending.names().containsAll(decided.pushes())) {
            throw new MessageRefusedException(
                    OUT_OF_STEP,
                    "shard " + number() + " is at version " + version + " and has the pushes " + pending.names()
                            + ", received a request for " + decided);
        }
        make(decided);
    }

    private void make(QuorumUpdate next) {
        tables.apply(pending.meanOfRows(next.pushes()), next.rate());
        apply(pending.mean(next.pushes()), next.rate(), next.trainable());
        pending.clear();
        lastQuorum = next;
    }

    private void applyPush(Push request, Message message) {
        boolean dense = request.contents().dense() > 0;
        Tensor gradients = dense ? gradients(request.contents(), message) : null;
        RowGradients rows = tables.gradients(request.contents(), message);
        long late = version - request.base();
        double scale = request.scaleLate() && late > 0 ? 1.0 / (1 + late) : 1;
        rows.scale(scale);
        tables.apply(rows, request.rate());
        if (dense) {
            apply(scale == 1 ? gradients : gradients.mul(scale), request.rate(), request.trainable());
        }
    }

    /** The name under which the last push of a worker is kept. */
    static String pushKey(String worker) {
        return PUSH + worker;
    }

    /** The name under which a worker's last order to let rows go is kept. */
    static String dropKey(String worker) {
        return DROP + worker;
    }

    /** How far this shard is, as a snapshot over all shards needs it. */
    CutMarks marks() {
        Map<String, Long> changes = new TreeMap<>(sequences);
        changes.keySet().removeIf(key -> !key.startsWith(PUSH) && !key.startsWith(DROP));
        return new CutMarks(changes, lastCommit == null ? 0 : version);
    }

    private boolean isRepeated(String source, long sequence) {
        return sequences.getOrDefault(source, 0L) >= sequence;
    }

    /** Moves the values by gradients, which are not changed: they may lie in memory of a worker. */
    private void apply(Tensor gradients, double rate, List<Range> learning) {
        List<Range> local = new ArrayList<>();
        learning.forEach(stretch -> {
            Range common = setup.local(stretch);
            if (!common.isEmpty()) {
                local.add(common);
            }
        });
        trainable = local;
        if (!update.applyFrom(gradients.view(-1), rate)) {
            vector.gradients().copy_(gradients.view(-1));
            update.apply(rate);
        }
        version++;
    }

    private void report(Entry request, Message message) {
        if (!isRepeated("entry " + request.worker(), request.sequence())) {
            sequences.put("entry " + request.worker(), request.sequence());
            board.add(message.body().get(0).toArray().longs());
        }
        board.hasRead(request.turn(), request.from());
    }

    private void drop(Drop request) {
        if (!isRepeated(dropKey(request.worker()), request.sequence())) {
            sequences.put(dropKey(request.worker()), request.sequence());
            tables.drop(request.table(), request.age(), request.fewerThan());
        }
    }

    /** A copy of the values in memory for an answer, of the scope that is open. */
    Tensor values(AnswerMemory memory) {
        useCores();
        try (NoGradients off = NoGradients.begin()) {
            Tensor copy = memory.tensor(DType.FLOAT32, Shape.of(vector.size()));
            return copy.copy_(vector.values());
        }
    }

    /** All of it at this moment, after so many changes; its tensors are copies, of the scope that is open. */
    Message snapshot(long index) {
        List<Tensor> body = new ArrayList<>();
        body.add(vector.values().copy());
        Map<String, Tensor> states = new LinkedHashMap<>(update.state());
        states.values().forEach(tensor -> body.add(tensor.copy()));
        stored.values().forEach(tensor -> body.add(tensor.copy()));
        List<Contents> storedContents = new ArrayList<>();
        for (RowGradients rows : storedRows.values()) {
            PushBody part = new PushBody().rows(rows);
            storedContents.add(part.contents());
            body.addAll(List.of(part.tensors()));
        }
        List<Contents> waiting = pending.snapshot(body);
        List<ShardTables.Head> heads = tables.snapshot(body);
        ShardSnapshot head = new ShardSnapshot(
                setup.shard(),
                setup.range(),
                setup.parameters(),
                setup.optimizer(),
                setup.backups(),
                version,
                index,
                setup.entries(),
                List.copyOf(states.keySet()),
                storedGeneration,
                storedStep,
                List.copyOf(stored.keySet()),
                lastCommit,
                sequences,
                clocks.numbers(),
                board.numbers(),
                storedContents,
                waiting,
                pending.names(),
                lastQuorum,
                heads,
                setup.policy());
        return new Message(0, 0, Json.write(head).getBytes(UTF_8), body);
    }

    @Override
    public void close() {
        forgetStored();
        update.close();
        vector.close();
        tables.close();
        pending.close();
    }
}
