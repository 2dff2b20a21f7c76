package dev.tutti.comm.memory;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.transport.CallDeadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A bulletin board for members that are threads of one JVM. */
public final class MemoryBoard implements BulletinBoard {
    private final Map<String, CompletableFuture<String>> notes = new ConcurrentHashMap<>();
    private final Duration timeout;

    public MemoryBoard(Duration timeout) {
        this.timeout = timeout;
    }

    @Override
    public void post(String name, String note) {
        if (!slot(name).complete(note)) {
            throw new IllegalStateException("there is a note '" + name + "' already: a name is used once");
        }
    }

    @Override
    public String read(String name) {
        try {
            return slot(name).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new MemberLostException(
                    List.of(), "no member left the note '" + name + "' within " + timeout.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CallDeadline.interrupted();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletableFuture<String> slot(String name) {
        return notes.computeIfAbsent(name, key -> new CompletableFuture<>());
    }
}
