package dev.tutti.strategy.ps;

import dev.tutti.TuttiException;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import dev.tutti.strategy.ps.ShardRequests.Cut;
import dev.tutti.strategy.ps.ShardRequests.HeldBack;
import dev.tutti.strategy.ps.ShardRequests.Hold;
import dev.tutti.strategy.ps.ShardSnapshot.ShardPolicy;
import dev.tutti.strategy.ps.SnapshotGate.CutMarks;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.checkpoint.SnapshotFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots of all shards on disk. The primary of the first shard asks for them: all shards let changes wait, tell what they have, go on to
 * the furthest of it, copy themselves in memory, and write the copy while changes go on. A snapshot that fails is tried again later.
 */
final class ShardSnapshots {
    private static final Logger LOG = LoggerFactory.getLogger(ShardSnapshots.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String HEAD = "tutti.shard";
    private static final int KEEP = 2;

    private final Team team;
    private final Executor threads;
    private final AtomicBoolean busy = new AtomicBoolean();
    private long last = System.nanoTime();
    private long lastVersion;

    ShardSnapshots(Team team, Executor threads) {
        this.team = team;
        this.threads = threads;
    }

    /** Begins a snapshot if it is time for one; called again and again where the first shard has its primary. */
    void look(ShardPolicy policy, long version) {
        boolean due = policy.hasSnapshots() && (System.nanoTime() - last) / 1e9 >= policy.seconds();
        if (due && version != lastVersion && busy.compareAndSet(false, true)) {
            last = System.nanoTime();
            lastVersion = version;
            threads.execute(() -> {
                try {
                    take(policy);
                } catch (TuttiException e) {
                    LOG.warn("no snapshot of the shards was made, the one before it stays: {}", e.getMessage());
                } finally {
                    busy.set(false);
                }
            });
        }
    }

    private void take(ShardPolicy policy) {
        ShardClient client = new ShardClient(team, policy.shards(), PATIENCE);
        String cut = UUID.randomUUID().toString().substring(0, 8);
        List<HeldBack> held = answers(
                client.all(ShardServer.HOLD, shard -> ShardClient.Request.of(new Hold(shard, cut))), HeldBack.class);
        CutMarks upTo = CutMarks.furthest(held.stream().map(HeldBack::marks).toList());
        long version = held.stream().mapToLong(HeldBack::version).max().orElse(0);
        List<SnapshotFolder.Part> parts = answers(
                client.all(
                        ShardServer.CUT,
                        shard -> ShardClient.Request.of(new Cut(shard, cut, upTo, policy.folder(), version))
                                .waiting()),
                SnapshotFolder.Part.class);
        new SnapshotFolder(Path.of(policy.folder())).complete(policy.run(), version, parts, KEEP);
        LOG.debug("snapshot of {} updates in {}", version, policy.folder());
    }

    private static <T> List<T> answers(List<Message> messages, Class<T> type) {
        List<T> out = new ArrayList<>();
        for (Message message : messages) {
            try (message) {
                out.add(ShardRequests.read(message.head(), type));
            }
        }
        return out;
    }

    /** Writes a copy of a shard, and closes it; the answer names the part. */
    static Message write(Cut request, Message copy) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (Tensor tensor : copy.body()) {
            tensors.put(name(tensors.size()), tensor);
        }
        try (copy) {
            return ShardRequests.message(new SnapshotFolder(Path.of(request.folder()))
                    .writePart(request.version(), request.cut(), request.shard(), tensors, Map.of(HEAD, copy.text())));
        }
    }

    private static String name(int place) {
        return "tensor-" + place;
    }

    /** The shard in a part; its tensors belong to the open scope. */
    static Message read(TensorFile part) {
        List<Tensor> body = new ArrayList<>();
        for (int i = 0; i < part.names().size(); i++) {
            body.add(part.tensor(name(i)));
        }
        return ShardRequests.message(
                Json.read(part.metadata().getOrDefault(HEAD, "{}"), ShardSnapshot.class, "a part of a snapshot"),
                body.toArray(Tensor[]::new));
    }
}
