package dev.tutti.strategy.ps;

import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.Messages;
import dev.tutti.comm.Team;
import dev.tutti.strategy.ps.ShardRequests.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** A server's way to the other servers: what a primary asks of its backups. */
final class BackupLinks {
    static final String ROLE = "server";
    static final String INSTALL = "parameters.install";

    /** A backup that has not answered by then is left out; it is longer than a long pause of its process. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Team team;
    private final Messages messages;
    private final Executor threads;

    BackupLinks(Team team, Messages messages, Executor threads) {
        this.team = team;
        this.messages = messages;
        this.threads = threads;
    }

    static String topic(Change change) {
        return "parameters." + change.name().toLowerCase(Locale.ROOT);
    }

    static String followTopic(Change change) {
        return topic(change) + ".follow";
    }

    String self() {
        return messages.self().id();
    }

    Executor threads() {
        return threads;
    }

    /** The other servers, beginning with the one that follows this one: so backups of different shards are on different servers. */
    List<Member> others() {
        List<Member> all = new ArrayList<>(team.members(ROLE));
        int own = all.indexOf(messages.self());
        if (own >= 0) {
            Collections.rotate(all, -own);
        }
        all.remove(messages.self());
        return all;
    }

    CompletableFuture<Message> forward(Member backup, Change change, Message copy) {
        return ask(backup, followTopic(change), copy);
    }

    CompletableFuture<Message> install(Member backup, Message snapshot) {
        return ask(backup, INSTALL, snapshot);
    }

    /** A server that has closed its messages is about to end: it acknowledges nothing any more, and calls no backup lost. */
    private CompletableFuture<Message> ask(Member backup, String topic, Message message) {
        try {
            return messages.ask(backup, topic, message, LIMIT)
                    .exceptionallyCompose(failure -> messages.isClosed()
                            ? CompletableFuture.failedFuture(ending(failure))
                            : CompletableFuture.failedFuture(failure));
        } catch (IllegalStateException e) {
            return CompletableFuture.failedFuture(ending(e));
        }
    }

    private MessageRefusedException ending(Throwable why) {
        return new MessageRefusedException(MessageRefusedException.FENCED, self() + " ends: " + why.getMessage());
    }

    /** Whether a backup refused because another server is the primary by now. */
    static boolean isFencing(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof MessageRefusedException refused
                && (refused.code().equals(MessageRefusedException.OLD_TERM)
                        || refused.code().equals(MessageRefusedException.FENCED));
    }
}
