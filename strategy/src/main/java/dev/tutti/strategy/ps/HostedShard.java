package dev.tutti.strategy.ps;

import dev.tutti.comm.FencedException;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.Ownership;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    private final String thing;
    private final Ownership ownership;
    private final BackupLinks links;
    private final List<Member> backups = new ArrayList<>();
    private final Map<Long, Early> early = new TreeMap<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private ParameterShard shard;
    private Holding holding; // null on a backup
    private long term;
    private long index;
    private boolean fenced;

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
            backups.clear();
        }
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
        backups.clear();
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
        term = theirs;
    }

    /** Carries out, as a backup, a change that the primary has carried out. */
    synchronized CompletableFuture<Message> follow(Change change, Message message) {
        requireTermOfPrimary(message.term());
        CompletableFuture<Message> done = new CompletableFuture<>();
        if (message.sequence() <= index && shard != null) {
            done.complete(Message.of(""));
            return done;
        }
        early.put(message.sequence(), new Early(change, message, done));
        carryOutEarly();
        return done;
    }

    private void carryOutEarly() {
        early.keySet().removeIf(number -> shard != null && number <= index);
        for (Early next = early.remove(index + 1); shard != null && next != null; next = early.remove(index + 1)) {
            shard.execute(next.change(), next.message());
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
            shard.execute(change, message);
            index++;
            Message copy = new Message(term, index, message.head(), message.body());
            for (Member backup : backups) {
                copies.add(settled(backup, links.forward(backup, change, copy)));
            }
        }
        answerWaiting();
        return all(copies).thenApply(done -> {
            synchronized (this) {
                requireStillPrimary();
                return answer.apply(shard);
            }
        });
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
            if (ready.apply(shard)) {
                return CompletableFuture.completedFuture(answer.apply(shard));
            }
            CompletableFuture<Message> done = new CompletableFuture<>();
            waiting.add(new Waiting(() -> ready.apply(shard), () -> answer.apply(shard), done));
            return done;
        }
    }

    private void answerWaiting() {
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            waiting.removeIf(each -> {
                if (fenced || !each.ready().getAsBoolean()) {
                    return false;
                }
                Message answer = kept(each.answer());
                answers.add(() -> {
                    each.done().complete(answer);
                    // Those who asked may just be about to take it.
                    CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(answer::close);
                });
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

    private void promote(Optional<Holding> now) {
        synchronized (this) {
            if (now.isEmpty() || !now.get().isFirst(links.self()) || now.get().term() <= term) {
                return;
            }
            holding = now.get();
            term = holding.term();
            early.clear(); // what is missing in between was never acknowledged
            backups.clear();
            LOG.info("{} is the primary of {} under term {}", links.self(), thing, term);
        }
        var unused = addBackups();
    }

    /** Gives copies to as many servers as there should be backups; holders come first. Answers when they have them. */
    CompletableFuture<Message> addBackups() {
        List<Member> servers = links.others();
        List<CompletableFuture<Void>> copies = new ArrayList<>();
        synchronized (this) {
            if (shard == null || holding == null || fenced) {
                return CompletableFuture.completedFuture(Message.of(""));
            }
            List<Member> candidates = new ArrayList<>();
            servers.stream().filter(this::isHolder).forEach(candidates::add);
            servers.stream().filter(server -> !isHolder(server)).forEach(candidates::add);
            candidates.removeAll(backups);
            for (Member server : candidates) {
                if (backups.size() < shard.backups()) {
                    copies.add(copyTo(server));
                }
            }
        }
        return all(copies).thenApply(done -> Message.of(""));
    }

    private boolean isHolder(Member server) {
        return holding.holders().contains(server.id());
    }

    /** From here on the server gets every change as well; it becomes a holder when it has the copy. */
    private CompletableFuture<Void> copyTo(Member server) {
        try (Message snapshot = shard.snapshot(index).term(term)) {
            CompletableFuture<Message> installed = links.install(server, snapshot);
            backups.add(server);
            return settled(server, installed).thenRun(this::tellHolders);
        }
    }

    private void tellHolders() {
        Holding mine;
        List<String> holders = new ArrayList<>(List.of(links.self()));
        synchronized (this) {
            if (fenced || holding == null) {
                return;
            }
            mine = holding;
            backups.forEach(backup -> holders.add(backup.id()));
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
            fence(e.getMessage());
            throw new MessageRefusedException(MessageRefusedException.FENCED, e.getMessage());
        }
    }

    private synchronized void fence(String why) {
        if (!fenced) {
            LOG.warn("{} is not the primary of {} any more: {}", links.self(), thing, why);
        }
        fenced = true;
    }

    /** A backup that does not answer is left out before anything is acknowledged without it. */
    private CompletableFuture<Void> settled(Member backup, CompletableFuture<Message> answer) {
        return answer.handleAsync(
                (ok, failure) -> {
                    if (failure == null) {
                        ok.close();
                    } else if (BackupLinks.isFencing(failure)) {
                        fence(failure.getMessage());
                        throw new MessageRefusedException(MessageRefusedException.FENCED, failure.getMessage());
                    } else {
                        LOG.warn("{} goes on without its backup {}: {}", thing, backup, failure.getMessage());
                        synchronized (this) {
                            backups.remove(backup);
                        }
                        tellHolders();
                    }
                    return null;
                },
                links.threads());
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
    }
}
