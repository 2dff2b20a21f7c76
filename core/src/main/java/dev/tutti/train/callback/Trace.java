package dev.tutti.train.callback;

import dev.tutti.io.TraceFile;
import dev.tutti.train.EpochResult;
import dev.tutti.train.profile.Timeline;
import dev.tutti.train.profile.TimelineObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what members are busy with, and when, as a file that Chrome's trace viewer and Perfetto open.
 *
 * <p>What this member does is written while it trains; the other members' part comes at the end, when they send it.
 */
final class Trace implements Callback, TimelineObserver {
    private static final Logger LOG = LoggerFactory.getLogger(Trace.class);
    private static final long FLUSH_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int STEPS_ROW = 0;
    private static final int EPOCHS_ROW = 1;

    private final Path path;
    private Timeline own = new Timeline(0);
    private Supplier<String> ownName = () -> "";
    private TraceFile file;
    private long origin;
    private long flushed;
    private long epochBegan;
    private int written;
    private boolean saidFull;

    Trace(Path path) {
        this.path = path;
    }

    @Override
    public Optional<TimelineObserver> timelineObserver() {
        return Optional.of(this);
    }

    @Override
    public void follow(Timeline timeline, Supplier<String> name) {
        own = timeline;
        ownName = name;
        written = 0;
    }

    @Override
    public void begin(Run run) {
        file = TraceFile.create(path);
        origin = own.now();
        epochBegan = origin;
        flushed = System.nanoTime();
        describe(0, ownName.get());
        file.flush();
    }

    private void describe(int rank, String name) {
        file.process(rank, name);
        file.thread(rank, STEPS_ROW, "steps");
    }

    @Override
    public void step(Run run) {
        if (System.nanoTime() - flushed > FLUSH_NANOS) {
            writeOwn();
        }
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        long now = own.now();
        if (epochBegan == origin) {
            file.thread(0, EPOCHS_ROW, "epochs");
        }
        file.span(0, EPOCHS_ROW, "epoch " + result.epoch(), micros(epochBegan), (now - epochBegan) / 1e3);
        epochBegan = now;
        writeOwn();
    }

    private void writeOwn() {
        write(0, own, written);
        written = own.size();
        if (own.full() && !saidFull) {
            saidFull = true;
            LOG.info("{} has the first {} stretches of each member; what comes after is left out", path, own.size());
        }
        flushed = System.nanoTime();
    }

    @Override
    public void member(int rank, String name, Timeline timeline) {
        if (file != null) {
            describe(rank, name);
            write(rank, timeline, 0);
        }
    }

    private void write(int rank, Timeline timeline, int from) {
        for (int i = from; i < timeline.size(); i++) {
            String name = timeline.phase(i).name().toLowerCase(Locale.ROOT);
            file.span(rank, STEPS_ROW, name, micros(timeline.began(i)), timeline.length(i) / 1e3);
        }
        file.flush();
    }

    private double micros(long wallNanos) {
        return (wallNanos - origin) / 1e3;
    }

    @Override
    public void end(Run run, Optional<Throwable> failure) {
        if (file != null) {
            try {
                writeOwn();
            } finally {
                file.close();
            }
        }
    }
}
