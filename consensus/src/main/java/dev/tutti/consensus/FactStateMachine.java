package dev.tutti.consensus;

import dev.tutti.cluster.journal.Journal;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;

/** Applies what Raft has committed to {@link ReplicatedFacts}, on every peer, and tells when this peer begins or ceases to lead. */
final class FactStateMachine extends BaseStateMachine {
    /** Answers of {@link #applyTransaction}. */
    static final Message TAKEN = Message.valueOf("taken");

    static final Message FENCED = Message.valueOf("fenced");

    /** Hears who leads; called by threads of Raft, which must not wait. */
    interface LeadershipListener {
        void leads();

        void leadsNoMore();
    }

    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private final ReplicatedFacts facts = new ReplicatedFacts();
    private final LeadershipListener listener;

    FactStateMachine(LeadershipListener listener) {
        this.listener = listener;
    }

    synchronized List<Journal.Entry> entries() {
        return facts.entries();
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage) throws IOException {
        super.initialize(server, group, raftStorage);
        storage.init(raftStorage);
        load(storage.getLatestSnapshot());
    }

    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    @Override
    public void reinitialize() throws IOException {
        load(storage.loadLatestSnapshot());
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
    }

    private synchronized void load(SingleFileSnapshotInfo snapshot) throws IOException {
        if (snapshot == null) {
            return;
        }
        File file = snapshot.getFile().getPath().toFile();
        MD5Hash expected = snapshot.getFile().getFileDigest();
        if (expected != null) {
            MD5FileUtil.verifySavedMD5(file, expected);
        }
        facts.restore(Json.read(Files.readString(file.toPath()), ReplicatedFacts.Image.class, file.toString()));
        setLastAppliedTermIndex(SimpleStateMachineStorage.getTermIndexFromSnapshotFile(file));
    }

    @Override
    public long takeSnapshot() throws IOException {
        TermIndex at;
        String image;
        synchronized (this) {
            at = getLastAppliedTermIndex();
            image = Json.write(facts.image());
        }
        File file = storage.getSnapshotFile(at.getTerm(), at.getIndex());
        AtomicFile.write(file.toPath(), image);
        MD5Hash digest = MD5FileUtil.computeAndSaveMd5ForFile(file);
        storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file.toPath(), digest), at));
        return at.getIndex();
    }

    @Override
    public SnapshotInfo getLatestSnapshot() {
        return storage.getLatestSnapshot();
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return storage;
    }

    @Override
    public synchronized CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        FactChange change =
                FactChange.of(entry.getStateMachineLogEntry().getLogData().toByteArray());
        boolean counts = facts.apply(change);
        updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        return CompletableFuture.completedFuture(counts ? TAKEN : FENCED);
    }

    @Override
    public void notifyLeaderReady() {
        listener.leads();
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
        listener.leadsNoMore();
    }
}
