package dev.tutti.strategy.ps;

import dev.tutti.comm.FencedException;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.Ownership;
import dev.tutti.strategy.ps.ShardBalance.ShardLoad;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.HeldBack;
import dev.tutti.strategy.ps.ShardSnapshot.ShardPolicy;
import dev.tutti.strategy.ps.SnapshotGate.CutMarks;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server's copy of a shard, as its primary or as a backup.
 *
 * <p>The primary carries a change out, forwards it to the backups with its number, and answers when all of them have it. A backup
 * carries changes out in the order of their numbers. When the primary is lost the next holder is the primary under the next term; it
 * gives the other backups a copy of what it has. A primary of an earlier term is refused by them, and so does not answer any more.
 */
final class HostedShard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostedShard.class);

    /** A snapshot whose place is not reached by then is given up: workers wait for their pushes meanwhile. */
    private static final long HOLD_MILLIS = 3000;

    /** How soon the table of holders is tried again. */
    private static final long AGAIN_MILLIS = 200;

    /** A copy that is not in the table may be on its way into it. */
    private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(6);

    private final String thing;
    private final Ownership ownership;
    private final BackupLinks links;
    private final List<Member> backups = new ArrayList<>();
    private final Set<Member> followers = new LinkedHashSet<>(); // backups that have all that was acknowledged
    private final Map<Long, Early> early = new TreeMap<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final SnapshotGate gate = new SnapshotGate();
    private final Object table =
            new Object(); // held while the table of holders is changed; taken before this shard's lock
    private ParameterShard shard;
    private Holding holding; // null on a backup
    private long term;
    private long index;
    private boolean fenced;
    private boolean behind; // a backup that knows of a new primary, and has not got its copy yet
    private boolean moving;
    private CompletableFuture<Void> agreed = CompletableFuture.completedFuture(null); // the table names followers only
    private long lastHeard = System.nanoTime(); // as a backup, of its primary
    private long busyNanos;

    /** A change that came before the one in front of it. */
    private record Early(Change change, Message message, CompletableFuture<Message> done) {}

    /** An answer that waits until the shard is far enough. */
    private record Waiting(BooleanSupplier ready, Supplier<Message> answer, CompletableFuture<Message> done) {}

    HostedShard(String thing, Ownership ownership, BackupLinks links) {
        this.thing = thing;
        this.ownership = ownership;
        this.links = links;
    }

    /** Becomes the primary of a shard that a worker sets up. Answers when the backups have it too. */
    CompletableFuture<Message> setUp(ShardSnapshot snapshot, Message message) {
        Holding claimed = claim();
        synchronized (this) {
            replace(new ParameterShard(snapshot, message));
            index = snapshot.index();
            holding = claimed;
            term = claimed.term();
            fenced = false;
            behind = false;
            backups.clear();
            followers.clear();
            agreed = CompletableFuture.completedFuture(null);
        }
        tellHolders(); // former backups have nothing of it
        return addBackups();
    }

    private Holding claim() {
        try {
            return ownership.claim(thing);
        } catch (FencedException e) {
            throw new MessageRefusedException(MessageRefusedException.FENCED, e.getMessage());
        }
    }

    private void replace(ParameterShard next) {
        if (shard != null) {
            shard.close();
        }
        shard = next;
    }

    /** Takes a copy of the primary's. */
    synchronized Message install(ShardSnapshot snapshot, Message message) {
        requireTermOfPrimary(message.term());
        holding = null;
        fenced = false;
        behind = false;
        backups.clear();
        followers.clear();
        replace(new ParameterShard(snapshot, message));
        index = snapshot.index();
        carryOutEarly();
        return Message.of("");
    }

    private void requireTermOfPrimary(long theirs) {
        if (theirs < term || theirs == term && holding != null) {
            throw new MessageRefusedException(
                    MessageRefusedException.OLD_TERM,
                    thing + ": term " + theirs + " is over, the present one is " + term);
        }
        if (theirs > term) { // its changes follow on its copy, and not on what is here
            behind = true;
            early.values()
                    .forEach(each -> each.done()
                            .completeExceptionally(new MessageRefusedException(
                                    MessageRefusedException.OLD_TERM, thing + ": a term is over")));
            early.clear();
        }
        term = theirs;
        lastHeard = System.nanoTime();
    }

    /** Carries out, as a backup, a change that the primary has carried out. */
    CompletableFuture<Message> follow(Change change, Message message) {
        CompletableFuture<Message> done = new CompletableFuture<>();
        synchronized (this) {
            requireTermOfPrimary(message.term());
            if (message.sequence() <= index && shard != null && !behind) {
                done.complete(Message.of(""));
                return done;
            }
            early.put(message.sequence(), new Early(change, message, done));
            carryOutEarly();
        }
        answerWaiting();
        return done;
    }

    private void carryOutEarly() {
        if (behind) {
            return;
        }
        early.keySet().removeIf(number -> shard != null && number <= index);
        for (Early next = early.remove(index + 1); shard != null && next != null; next = early.remove(index + 1)) {
            try {
                shard.execute(next.change(), next.message());
            } catch (MessageRefusedException e) { // as the primary has, which told the worker
                LOG.debug("{}: change {} was refused", thing, index + 1, e);
            }
            index++;
            next.done().complete(Message.of(""));
        }
    }

    /** Carries out, as the primary, what a worker asks for; answers when all backups have it. */
    CompletableFuture<Message> change(Change change, Message message, Function<ParameterShard, Message> answer) {
        requirePrimary(message.term());
        List<CompletableFuture<Void>> copies = new ArrayList<>();
        synchronized (this) {
            requireStillPrimary();
            if (gate.mustWait(change, message)) {
                return gate.hold(change, message, answer);
            }
            index++;
            copies.add(agreed);
            Message copy = new Message(term, index, message.head(), message.body());
            // They carry it out while this copy does; what this one refuses they refuse alike.
            for (Member backup : backups) {
                copies.add(acknowledged(backup, links.forward(backup, change, copy)));
            }
            long began = System.nanoTime();
            try {
                shard.execute(change, message);
            } finally {
                busyNanos += System.nanoTime() - began;
            }
        }
        answerWaiting();
        CompletableFuture<Void> copied = all(copies);
        if (copied.isDone()) {
            return copied.thenApply(done -> answered(answer));
        }
        CompletableFuture<Message> done = new CompletableFuture<>();
        // Threads that hear answers must not wait for this shard's lock: its owner may be writing to them.
        var unused = copied.whenCompleteAsync((all, failure) -> answerCopied(done, answer, failure), links.threads());
        return done;
    }

    private void answerCopied(
            CompletableFuture<Message> done, Function<ParameterShard, Message> answer, Throwable failure) {
        if (failure != null) {
            done.completeExceptionally(failure);
            return;
        }
        try {
            give(done, kept(() -> answered(answer)));
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
        }
    }

    /** Completes an answer whose tensors were {@link #kept}, and closes them when they are taken. */
    private static void give(CompletableFuture<Message> done, Message answer) {
        boolean taken = done.getNumberOfDependents() > 0; // by the thread that completes it
        done.complete(answer);
        if (taken) {
            answer.close();
        } else { // the thread that asked is about to take it
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(answer::close);
        }
    }

    private synchronized Message answered(Function<ParameterShard, Message> answer) {
        requireStillPrimary();
        return answer.apply(shard);
    }

    /** Lets changes wait from now on, until {@link #cut} of the same name or for a few seconds; answers with what this shard has. */
    Message hold(Message message, String cut) {
        requirePrimary(message.term());
        synchronized (this) {
            requireStillPrimary();
            CutMarks have = shard.marks();
            gate.close(cut, have);
            CompletableFuture.delayedExecutor(HOLD_MILLIS, TimeUnit.MILLISECONDS, links.threads())
                    .execute(() -> goOn(cut));
            return ShardRequests.message(new HeldBack(have, shard.version()));
        }
    }

    /** A copy of this shard with what belongs to a snapshot and nothing else, which the caller closes; changes go on when it is made. */
    CompletableFuture<Message> cut(Message message, String cut, CutMarks upTo) {
        requirePrimary(message.term());
        CompletableFuture<Message> copied = new CompletableFuture<>();
        List<SnapshotGate.Held> free;
        synchronized (this) {
            requireStillPrimary();
            free = gate.isOf(cut) ? gate.open(upTo) : List.of();
            var unused = whenReady(now -> !gate.isOf(cut) || upTo.isReachedBy(now.marks()), now -> {
                if (gate.isOf(cut)) {
                    copied.complete(kept(() -> now.snapshot(0)));
                } else {
                    copied.completeExceptionally(new MessageRefusedException(
                            ParameterShard.OUT_OF_STEP, thing + " did not come to the place of snapshot " + cut));
                }
                return Message.of("");
            });
        }
        carryOut(free);
        return copied.whenCompleteAsync((copy, failure) -> goOn(cut), links.threads());
    }

    private void goOn(String cut) {
        List<SnapshotGate.Held> free;
        synchronized (this) {
            free = gate.end(cut);
        }
        carryOut(free);
        if (!isClosed()) {
            answerWaiting();
        }
    }

    private synchronized boolean isClosed() {
        return shard == null;
    }

    /** Changes that had to wait. */
    private void carryOut(List<SnapshotGate.Held> free) {
        for (SnapshotGate.Held each : free) {
            try (Scope scope = Scope.open()) {
                var unused = change(each.change(), each.message(), each.answer())
                        .whenComplete((answer, failure) -> {
                            if (failure == null) {
                                each.done().complete(answer);
                            } else {
                                each.done().completeExceptionally(failure);
                            }
                        });
            } catch (RuntimeException e) {
                each.done().completeExceptionally(e);
            }
        }
    }

    private static CompletableFuture<Void> all(List<CompletableFuture<Void>> parts) {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    }

    /** Answers, as the primary, when the shard is ready for it. */
    CompletableFuture<Message> read(
            Message message, Function<ParameterShard, Boolean> ready, Function<ParameterShard, Message> answer) {
        requirePrimary(message.term());
        synchronized (this) {
            requireStillPrimary();
            return whenReady(ready, answer);
        }
    }

    /**
     * Answers, as the primary or as a backup, when this copy is ready for it. A backup has every change that was acknowledged; one that was
     * left out is behind, and what it is asked for waits there until the asking member turns to the primary.
     */
    CompletableFuture<Message> readCopy(
            Message message, Function<ParameterShard, Boolean> ready, Function<ParameterShard, Message> answer) {
        boolean primary;
        synchronized (this) {
            primary = holding != null || shard == null || message.term() > term;
        }
        if (primary) {
            return read(message, ready, answer);
        }
        synchronized (this) {
            if (message.term() != term) {
                throw new MessageRefusedException(
                        MessageRefusedException.OLD_TERM,
                        thing + ": term " + message.term() + " is over, the present one is " + term);
            }
            return whenReady(ready, answer);
        }
    }

    private CompletableFuture<Message> whenReady(
            Function<ParameterShard, Boolean> ready, Function<ParameterShard, Message> answer) {
        if (ready.apply(shard)) {
            return CompletableFuture.completedFuture(answer.apply(shard));
        }
        CompletableFuture<Message> done = new CompletableFuture<>();
        waiting.add(new Waiting(() -> ready.apply(shard), () -> answer.apply(shard), done));
        return done;
    }

    private void answerWaiting() {
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            waiting.removeIf(each -> {
                if (fenced || !each.ready().getAsBoolean()) {
                    return false;
                }
                Message answer = kept(each.answer());
                answers.add(() -> give(each.done(), answer));
                return true;
            });
        }
        answers.forEach(Runnable::run);
    }

    private static Message kept(Supplier<Message> answer) {
        try (Scope scope = Scope.open()) {
            Message message = answer.get();
            message.body().forEach(Tensor::retain);
            return message;
        }
    }

    /** A worker that knows of a later term has seen that this member is the primary by now, or that it is not any more. */
    private void requirePrimary(long theirs) {
        boolean later;
        synchronized (this) {
            later = shard != null && theirs > term;
        }
        if (later) {
            promote(ownership.of(thing));
        }
        synchronized (this) {
            requireStillPrimary();
            if (theirs != term) {
                throw new MessageRefusedException(
                        MessageRefusedException.OLD_TERM,
                        thing + ": term " + theirs + " is over, the present one is " + term);
            }
        }
    }

    private void requireStillPrimary() {
        if (shard == null || holding == null || fenced) {
            throw new MessageRefusedException(
                    MessageRefusedException.FENCED, links.self() + " is not the primary of " + thing);
        }
    }

    /**
     * A holder that becomes a backup has all that was acknowledged, and gets every change from here on. The others are left out of the
     * table before anything is acknowledged: they would become the primary with less than that.
     */
    void promote(Optional<Holding> now) {
        if (!isCalled(now)) {
            return;
        }
        List<Member> servers = links.others();
        CompletableFuture<Void> told = new CompletableFuture<>();
        synchronized (this) {
            if (!isCalled(now)) {
                return;
            }
            holding = now.orElseThrow();
            term = holding.term();
            fenced = false;
            behind = false; // nothing was acknowledged without this copy
            early.clear(); // what is missing in between was never acknowledged
            backups.clear();
            followers.clear();
            agreed = told;
            LOG.info("{} is the primary of {} under term {}", links.self(), thing, term);
            beginCopies(servers);
            backups.stream().filter(this::isHolder).forEach(followers::add);
        }
        links.threads().execute(() -> tellUntilHeard(told));
    }

    /** The coordinator may be out of reach for a moment, or name a follower lost that this server still counts on. */
    private void tellUntilHeard(CompletableFuture<Void> told) {
        try {
            tellHolders();
            told.complete(null);
        } catch (MessageRefusedException e) {
            told.completeExceptionally(e);
        } catch (RuntimeException e) {
            LOG.debug("{}: the table of holders could not be changed yet", thing, e);
            if (policyOfPrimary().isPresent()) {
                CompletableFuture.delayedExecutor(AGAIN_MILLIS, TimeUnit.MILLISECONDS, links.threads())
                        .execute(() -> tellUntilHeard(told));
            } else {
                told.completeExceptionally(new MessageRefusedException(
                        MessageRefusedException.FENCED, links.self() + " is not the primary of " + thing));
            }
        }
    }

    private synchronized boolean isCalled(Optional<Holding> now) {
        return shard != null
                && now.filter(held -> held.isFirst(links.self()) && held.term() > term)
                        .isPresent();
    }

    /** Gives copies to as many servers as there should be backups; holders come first. Answers when they have them. */
    CompletableFuture<Message> addBackups() {
        List<Member> servers = links.others();
        List<CompletableFuture<Void>> copies;
        synchronized (this) {
            if (shard == null || holding == null || fenced) {
                return CompletableFuture.completedFuture(Message.of(""));
            }
            copies = beginCopies(servers);
        }
        return all(copies)
                .thenApplyAsync(
                        done -> {
                            tellHolders(); // again where the coordinator could not be told before
                            return Message.of("");
                        },
                        links.threads());
    }

    private List<CompletableFuture<Void>> beginCopies(List<Member> servers) {
        List<CompletableFuture<Void>> copies = new ArrayList<>();
        List<Member> candidates = new ArrayList<>();
        servers.stream().filter(this::isHolder).forEach(candidates::add);
        servers.stream().filter(server -> !isHolder(server)).forEach(candidates::add);
        candidates.removeAll(backups);
        for (Member server : candidates) {
            if (backups.size() < shard.backups()) {
                copies.add(copyTo(server));
            }
        }
        return copies;
    }

    /**
     * Makes another server the primary, under the next term, when it has a copy. Changes that are not acknowledged by then are refused, and
     * workers repeat them there. This server is a backup afterwards, or lets its copy go when the new primary has others.
     *
     * @return whether the other one is the primary
     */
    CompletableFuture<Boolean> handOver(Member target) {
        CompletableFuture<Void> copied;
        synchronized (this) {
            boolean underWay = moving || backups.contains(target) && !followers.contains(target);
            if (underWay || shard == null || holding == null || fenced) {
                return CompletableFuture.completedFuture(false);
            }
            moving = true;
            copied = followers.contains(target) ? CompletableFuture.completedFuture(null) : copyTo(target);
        }
        return copied.thenApplyAsync(done -> giveAway(target), links.threads()).whenComplete((done, failure) -> {
            synchronized (this) {
                moving = false;
            }
        });
    }

    private boolean giveAway(Member target) {
        Holding mine;
        Optional<Holding> now;
        synchronized (table) {
            synchronized (this) {
                if (holding == null || fenced || !followers.contains(target)) {
                    return false;
                }
                mine = holding;
                fenced = true; // nothing is acknowledged under this term any more
            }
            now = promoteInTable(mine, target);
        }
        List<SnapshotGate.Held> refused;
        synchronized (this) {
            if (holding == null || holding.term() != mine.term()) {
                return false; // a later term has begun meanwhile, and this server knows its place in it
            }
            Optional<Holding> still = now.filter(held -> held.isFirst(links.self()) && held.term() == mine.term());
            if (still.isPresent()) { // the table is as it was, but for a lost holder
                holding = still.get();
                fenced = false;
                return false;
            }
            holding = null;
            fenced = false;
            backups.clear();
            followers.clear();
            lastHeard = System.nanoTime();
            waiting.forEach(each -> each.done()
                    .completeExceptionally(new MessageRefusedException(
                            MessageRefusedException.FENCED, thing + " was handed over to " + target)));
            waiting.clear();
            refused = gate.end();
        }
        carryOut(refused);
        LOG.info("{} has handed {} over to {}", links.self(), thing, target);
        return now.filter(next -> next.isFirst(target.id())).isPresent();
    }

    private Optional<Holding> promoteInTable(Holding mine, Member target) {
        try {
            return Optional.of(ownership.promote(mine, target.id()));
        } catch (RuntimeException e) {
            LOG.warn("{} was not handed over to {}: {}", thing, target, e.getMessage());
        }
        try {
            return ownership.of(thing);
        } catch (RuntimeException e) {
            // If the other one is the primary in truth, it has all that is acknowledged here, and refuses the next
            // change.
            LOG.debug("{}: the table of holders could not be read", thing, e);
            return Optional.of(mine);
        }
    }

    /** Whether this server has a copy that the table does not name, and that no primary has written to for a while. */
    synchronized boolean isLeftOver(Optional<Holding> now) {
        return shard != null
                && holding == null
                && now.stream().noneMatch(held -> held.holders().contains(links.self()))
                && System.nanoTime() - lastHeard > KEEP_NANOS;
    }

    /** What it weighs and takes, on its primary; empty on backups. */
    synchronized Optional<ShardLoad> load() {
        if (shard == null || holding == null || fenced) {
            return Optional.empty();
        }
        return Optional.of(
                new ShardLoad(shard.bytes(), busyNanos / 1e9, shard.policy().pinned() || moving));
    }

    private boolean isHolder(Member server) {
        return holding.holders().contains(server.id());
    }

    /** From here on the server gets every change as well; it becomes a holder when it has the copy. */
    private CompletableFuture<Void> copyTo(Member server) {
        try (Message snapshot = shard.snapshot(index).term(term)) {
            CompletableFuture<Message> installed = links.install(server, snapshot);
            backups.add(server);
            return settled(server, term, installed).thenRun(() -> {
                synchronized (this) {
                    if (backups.contains(server)) {
                        followers.add(server);
                    }
                }
                tellHolders();
            });
        }
    }

    /** One after the other, so that the last word is the newest. */
    private void tellHolders() {
        synchronized (table) {
            Holding mine;
            List<String> holders = new ArrayList<>(List.of(links.self()));
            synchronized (this) {
                if (fenced || holding == null) {
                    return;
                }
                mine = holding;
                followers.forEach(backup -> holders.add(backup.id()));
            }
            if (holders.equals(mine.holders())) {
                return;
            }
            try {
                Holding next = ownership.assign(mine, holders);
                synchronized (this) {
                    holding = mine.equals(holding) ? next : holding;
                }
            } catch (FencedException e) {
                fence(mine.term(), e.getMessage());
                throw new MessageRefusedException(MessageRefusedException.FENCED, e.getMessage());
            }
        }
    }

    /** Where this server or another holder was given up meanwhile, the worker asks again: another server may be the primary then. */
    private void tellHoldersOrRefuse() {
        try {
            tellHolders();
        } catch (GroupChangedException e) {
            throw new MessageRefusedException(MessageRefusedException.BUSY, e.getMessage());
        }
    }

    private synchronized void fence(long under, String why) {
        if (holding == null || holding.term() != under) {
            return; // it has handed the shard over meanwhile and is a backup, or is the primary again under a later
            // term
        }
        if (!fenced) {
            LOG.warn("{} is not the primary of {} any more: {}", links.self(), thing, why);
        }
        fenced = true;
    }

    /** The same as {@link #settled} for a change: an answer is heard without another thread. */
    private CompletableFuture<Void> acknowledged(Member backup, CompletableFuture<Message> answer) {
        long under = term;
        return answer.thenAccept(Message::close).exceptionallyCompose(failure -> settled(backup, under, answer));
    }

    /** A backup that does not answer is left out before anything is acknowledged without it. */
    private CompletableFuture<Void> settled(Member backup, long under, CompletableFuture<Message> answer) {
        return answer.handleAsync(
                (ok, failure) -> {
                    if (failure == null) {
                        ok.close();
                    } else if (BackupLinks.isFencing(failure)) {
                        fence(under, failure.getMessage());
                        throw new MessageRefusedException(MessageRefusedException.FENCED, failure.getMessage());
                    } else {
                        LOG.warn("{} goes on without its backup {}: {}", thing, backup, failure.getMessage());
                        synchronized (this) {
                            backups.remove(backup);
                            followers.remove(backup);
                        }
                        tellHoldersOrRefuse();
                    }
                    return null;
                },
                links.threads());
    }

    /** Updates that this copy has seen. */
    synchronized long version() {
        return shard == null ? 0 : shard.version();
    }

    /** How far it is, for people and tests. */
    synchronized String description() {
        return thing + (holding == null ? " (backup)" : "") + " at version " + (shard == null ? -1 : shard.version());
    }

    @Override
    public synchronized void close() {
        if (shard != null) {
            shard.close();
            shard = null;
        }
        waiting.forEach(each -> each.done()
                .completeExceptionally(
                        new MessageRefusedException(MessageRefusedException.FENCED, thing + " was closed")));
        waiting.clear();
        early.clear();
        gate.end()
                .forEach(each -> each.done()
                        .completeExceptionally(
                                new MessageRefusedException(MessageRefusedException.FENCED, thing + " was closed")));
    }

    /** What servers do with it, on its primary; empty on backups. */
    synchronized Optional<ShardPolicy> policyOfPrimary() {
        return shard == null || holding == null || fenced ? Optional.empty() : Optional.of(shard.policy());
    }
}
