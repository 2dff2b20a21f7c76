package dev.tutti.serve.model;

import java.util.concurrent.atomic.AtomicBoolean;

/** Keeps a version in memory while a request uses it. Closing it twice does no harm. */
public final class VersionLease implements AutoCloseable {
    private final ModelVersion version;
    private final AtomicBoolean closed = new AtomicBoolean();

    VersionLease(ModelVersion version) {
        this.version = version;
    }

    public ModelVersion version() {
        return version;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            version.release();
        }
    }
}
