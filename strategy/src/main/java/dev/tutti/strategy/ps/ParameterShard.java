package dev.tutti.strategy.ps;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.json.Json;
import dev.tutti.optim.Clipping;
import dev.tutti.optim.Target;
import dev.tutti.optim.Update;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Commit;
import dev.tutti.strategy.ps.ShardRequests.Entry;
import dev.tutti.strategy.ps.ShardRequests.Push;
import dev.tutti.strategy.ps.ShardRequests.Store;
import dev.tutti.tensor.Device;
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

    private final ShardSnapshot setup;
    private final FlatVector vector;
    private final Update update;
    private final Map<String, Long> sequences = new TreeMap<>();
    private final StalenessClocks clocks = new StalenessClocks();
    private final EntryLog board = new EntryLog();
    private final Map<Integer, Tensor> stored = new TreeMap<>(); // gradients of the step under way, by rank
    private long storedGeneration = -1;
    private long storedStep = -1;
    private Commit lastCommit; // null: none yet
    private long version;
    private List<Range> trainable;

    /** The shard of a snapshot, with copies of its tensors. */
    ParameterShard(ShardSnapshot snapshot, Message message) {
        setup = snapshot;
        long length = snapshot.range().length();
        requireLength(snapshot.values(message), length);
        vector = new FlatVector(length, DType.FLOAT32, Device.CPU);
        trainable = List.of(vector.all());
        update = snapshot.optimizer()
                .bind(new Target(vector, vector.all(), snapshot.localParameters(), () -> trainable));
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            vector.values().copy_(snapshot.values(message));
            snapshot.states(message).forEach((name, tensor) -> state(name).copy_(tensor));
            for (int i = 0; i < snapshot.stored().size(); i++) {
                stored.put(
                        snapshot.stored().get(i),
                        snapshot.stored(message, i).copy().retain());
            }
        }
        storedGeneration = snapshot.storedGeneration();
        storedStep = snapshot.storedStep();
        lastCommit = snapshot.lastCommit();
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

    long version() {
        return version;
    }

    /** How far it is. */
    ShardRequests.Progress progress() {
        return new ShardRequests.Progress(version, lastCommit);
    }

    StalenessClocks clocks() {
        return clocks;
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
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            switch (change) {
                case STORE -> store(ShardRequests.read(message.head(), Store.class), message);
                case COMMIT -> commit(ShardRequests.read(message.head(), Commit.class));
                case PUSH -> push(ShardRequests.read(message.head(), Push.class), message);
                case REPORT -> report(ShardRequests.read(message.head(), Entry.class), message);
            }
        }
    }

    private void store(Store request, Message message) {
        boolean older = request.generation() < storedGeneration
                || request.generation() == storedGeneration && request.step() < storedStep;
        if (older || request.step() < version) {
            return; // of a step that is over, or of a group that has met again
        }
        Tensor gradients = gradients(message);
        if (request.generation() != storedGeneration || request.step() != storedStep) {
            forgetStored();
            storedGeneration = request.generation();
            storedStep = request.step();
        }
        Tensor before = stored.put(request.rank(), gradients.copy().retain());
        if (before != null) {
            before.close();
        }
    }

    private void forgetStored() {
        stored.values().forEach(Tensor::close);
        stored.clear();
    }

    private Tensor gradients(Message message) {
        if (message.body().size() != 1) {
            throw new MessageRefusedException(
                    OUT_OF_STEP,
                    "expected one tensor of gradients, received "
                            + message.body().size());
        }
        Tensor gradients = message.body().get(0);
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
        vector.gradients().copy_(sum);
        apply(request.rate(), request.trainable());
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

    /** The squared length of a step's gradients. */
    double squaredLength(ShardRequests.Length request) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor sum = sum(request.generation(), request.step(), request.ranks(), request.factor());
            setup.optimizer().clipping().clipValues(sum);
            return Clipping.squaredNorm(sum);
        }
    }

    private void push(Push request, Message message) {
        boolean repeated = isRepeated("push " + request.worker(), request.sequence());
        if (!repeated && !message.body().isEmpty()) {
            vector.gradients().copy_(gradients(message));
            long late = version - request.base();
            if (request.scaleLate() && late > 0) {
                vector.gradients().mul_(1.0 / (1 + late));
            }
            apply(request.rate(), request.trainable());
        }
        sequences.merge("push " + request.worker(), request.sequence(), Math::max);
        clocks.advance(request.turn());
    }

    private boolean isRepeated(String source, long sequence) {
        return sequences.getOrDefault(source, 0L) >= sequence;
    }

    private void apply(double rate, List<Range> learning) {
        List<Range> local = new ArrayList<>();
        learning.forEach(stretch -> {
            Range common = setup.local(stretch);
            if (!common.isEmpty()) {
                local.add(common);
            }
        });
        trainable = local;
        update.apply(rate);
        version++;
    }

    private void report(Entry request, Message message) {
        if (!isRepeated("entry " + request.worker(), request.sequence())) {
            sequences.put("entry " + request.worker(), request.sequence());
            board.add(message.body().get(0).toArray().longs());
        }
        board.hasRead(request.turn(), request.from());
    }

    /** A copy of the values, of the scope that is open. */
    Tensor values() {
        return vector.values().copy();
    }

    /** All of it at this moment, after so many changes; its tensors are copies, of the scope that is open. */
    Message snapshot(long index) {
        List<Tensor> body = new ArrayList<>();
        body.add(vector.values().copy());
        Map<String, Tensor> states = new LinkedHashMap<>(update.state());
        states.values().forEach(tensor -> body.add(tensor.copy()));
        stored.values().forEach(tensor -> body.add(tensor.copy()));
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
                board.numbers());
        return new Message(0, 0, Json.write(head).getBytes(UTF_8), body);
    }

    @Override
    public void close() {
        forgetStored();
        update.close();
        vector.close();
    }
}
