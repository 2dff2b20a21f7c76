package dev.tutti.comm.network;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.tensor.TensorException;
import dev.tutti.tensor.gloo.GlooLinks;
import dev.tutti.tensor.gloo.GlooStore;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connects the members of a Gloo group: each announces where it listens on the bulletin board of the group, so that only members learn
 * of it.
 *
 * <p>Gloo connects on a thread of its own. When the group breaks meanwhile, the caller hears of it at once, and that thread ends at its
 * deadline.
 */
final class GlooRendezvous {
    private static final long GRACE_MILLIS = 500;

    private final Group group;
    private final BulletinBoard board;
    private final CallDeadline patience;

    GlooRendezvous(Group group, BulletinBoard board, CallDeadline patience) {
        this.group = group;
        this.board = board;
        this.patience = patience;
    }

    /**
     * Connects with all others; every member calls it.
     *
     * @param address where this member listens
     * @throws MemberLostException if not all came in time
     */
    GlooLinks connect(InetAddress address) {
        CompletableFuture<GlooLinks> connecting = new CompletableFuture<>();
        GlooStore store = GlooStore.open(patience.left());
        Thread thread = new Thread(() -> connect(store, address, connecting), "tutti-gloo-connect");
        thread.setDaemon(true);
        thread.start();
        try {
            exchange(store);
            return connecting.get(patience.left().toMillis() + GRACE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw notConnected(e.getCause());
        } catch (TimeoutException e) {
            throw notConnected(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CallDeadline.interrupted();
        } catch (TensorException e) {
            throw notConnected(connecting.isCompletedExceptionally() ? failure(connecting) : e);
        } finally {
            connecting.cancel(false); // has no effect on what is complete; else the thread closes what it comes to
        }
    }

    private void connect(GlooStore store, InetAddress address, CompletableFuture<GlooLinks> result) {
        try (store) {
            GlooLinks links = GlooLinks.connect(store, group.rank(), group.size(), address, patience.left());
            if (!result.complete(links)) {
                links.close();
            }
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }

    private void exchange(GlooStore store) {
        byte[] mine = store.announcement(group.rank(), patience.left());
        LinkNotes.postGloo(group, board, mine);
        for (int rank = 0; rank < group.size(); rank++) {
            if (rank != group.rank()) {
                store.announce(rank, LinkNotes.readGloo(group, board, rank));
            }
        }
    }

    private static Throwable failure(CompletableFuture<?> failed) {
        try {
            failed.getNow(null);
            return new IllegalStateException("it has not failed");
        } catch (RuntimeException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }

    private RuntimeException notConnected(Throwable cause) {
        if (cause instanceof RuntimeException other && !(cause instanceof TensorException)) {
            return other;
        }
        return new MemberLostException(
                List.of(),
                "not all of " + group.members() + " could be connected with " + group.self() + " within "
                        + patience.inWords() + ": " + cause.getMessage(),
                cause);
    }
}
