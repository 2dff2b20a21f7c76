package dev.tutti.tensor.gloo;

import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.TensorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.javacpp.chrono.Milliseconds;
import org.bytedeco.pytorch.ByteVector;
import org.bytedeco.pytorch.FileStore;
import org.bytedeco.pytorch.Store;
import org.bytedeco.pytorch.StringVector;

/**
 * Where Gloo leaves the announcement of this member and looks for those of the others while a group connects. It is a file that only
 * this process uses: announcements travel by other means, and no port is opened for them.
 *
 * <p>May be used by several threads. Nothing of it is needed once {@link GlooLinks#connect} has returned.
 */
public final class GlooStore implements AutoCloseable {
    /** Under which Gloo's first (and only) device of a group keeps its announcements. */
    private static final String DEVICE = "0/";

    private static final int ANY_NUMBER = -1;
    private static final long LOOK_NANOS = 500_000;

    private final Path folder;
    private final FileStore own;
    private final Store twin;
    private boolean closed;

    private GlooStore(Path folder, FileStore own, Store twin) {
        this.folder = folder;
        this.own = own;
        this.twin = twin;
    }

    /** @param timeout how long Gloo waits for what it looks for */
    public static GlooStore open(Duration timeout) {
        Engine.load();
        Path folder;
        try {
            folder = Files.createTempDirectory("tutti-gloo"); // for its owner alone
        } catch (IOException e) {
            throw new TensorException("no file can be made in the temporary folder: " + e.getMessage(), e);
        }
        return NativeConversions.call("opening the store", () -> {
            // What a constructor gives counts no references: C++ that takes it would free it under us, or never. So
            // only its
            // twin, which does count, is ever handed over.
            FileStore own = new FileStore(folder.resolve("store").toString(), ANY_NUMBER);
            own.retainReference();
            Store twin = own.clone();
            twin.retainReference();
            twin.setTimeout(new Milliseconds(Math.max(1, timeout.toMillis())));
            return new GlooStore(folder, own, twin);
        });
    }

    /**
     * Waits for what Gloo announces of this member: where it listens, and how the others' connections are told apart.
     *
     * @throws TensorException if it does not come in time
     */
    public byte[] announcement(int rank, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            Optional<byte[]> found = read(rank);
            if (found.isPresent()) {
                return found.get();
            }
            if (System.nanoTime() > deadline || Thread.currentThread().isInterrupted()) {
                throw new TensorException("Gloo did not say within " + TimeUnit.NANOSECONDS.toMillis(timeout.toNanos())
                        + " ms where this member listens");
            }
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
    }

    private synchronized Optional<byte[]> read(int rank) {
        requireOpen();
        return NativeConversions.call("reading the store", () -> {
            try (PointerScope scope = new PointerScope()) {
                String key = DEVICE + rank;
                if (!own.check(new StringVector(key))) {
                    return Optional.empty();
                }
                ByteVector value = own.get(key);
                byte[] bytes = new byte[Math.toIntExact(value.size())];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = value.get(i);
                }
                return Optional.of(bytes);
            }
        });
    }

    /** Gives Gloo what another member announced. */
    public synchronized void announce(int rank, byte[] announcement) {
        requireOpen();
        NativeConversions.run("writing the store", () -> {
            try (PointerScope scope = new PointerScope()) {
                own.set(DEVICE + rank, new ByteVector(announcement));
            }
        });
    }

    private void requireOpen() {
        if (closed) {
            throw new TensorException("the store is closed: connecting has ended");
        }
    }

    Store store() {
        return twin;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            Files.deleteIfExists(folder.resolve("store"));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            folder.toFile().deleteOnExit();
        }
        twin.releaseReference();
        own.releaseReference();
    }
}
