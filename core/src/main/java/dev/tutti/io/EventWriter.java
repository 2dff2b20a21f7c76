package dev.tutti.io;

import dev.tutti.array.NdArray;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes an event file that TensorBoard shows: {@code tensorboard --logdir folder}.
 *
 * <p>Every event goes to the system at once and unbuffered, so TensorBoard sees it at its next look and a killed
 * program loses nothing. Each writer makes a file of its own; a resumed run writes another one into the same folder,
 * and TensorBoard joins them. Safe for several threads.
 *
 * <p>If an event cannot be written, the file is cut back to the last whole event and stays readable.
 */
public final class EventWriter implements AutoCloseable {
    private static final AtomicInteger FILES = new AtomicInteger();

    private final Path file;
    private final FileChannel channel;
    private final Clock clock;

    private EventWriter(Path file, FileChannel channel, Clock clock) {
        this.file = file;
        this.channel = channel;
        this.clock = clock;
    }

    /** Starts a new event file in a folder, which is made if need be. */
    public static EventWriter open(Path folder) {
        return open(folder, Clock.systemUTC());
    }

    /** The same with the time of the events from another clock. */
    static EventWriter open(Path folder, Clock clock) {
        String name = String.format(
                "events.out.tfevents.%010d.%s.%d.%d",
                clock.instant().getEpochSecond(),
                host(),
                ProcessHandle.current().pid(),
                FILES.getAndIncrement());
        Path file = folder.resolve(name);
        try {
            Files.createDirectories(folder);
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            EventWriter writer = new EventWriter(file, channel, clock);
            writer.append(writer.event(0).text(3, "brain.Event:2"));
            return writer;
        } catch (IOException e) {
            throw FileException.cannotBeWritten(file, e);
        }
    }

    /** The file that is written. */
    public Path file() {
        return file;
    }

    /** One point of a curve; TensorBoard groups tags by what stands before a slash, such as {@code train/loss}. */
    public void scalar(String tag, long step, double value) {
        summary(step, new Proto().text(1, tag).fixed(2, (float) value));
    }

    /**
     * How the numbers of an array are spread. Those that are not finite are left out; if none is finite, nothing is
     * written.
     */
    public void histogram(String tag, long step, NdArray values) {
        Histogram histogram = Histogram.of(values);
        if (histogram.count() > 0) {
            summary(step, new Proto().text(1, tag).message(5, histogram.toProto()));
        }
    }

    /** A text, shown as Markdown. */
    public void text(String tag, long step, String markdown) {
        Proto plugin = new Proto().message(1, new Proto().text(1, "text"));
        Proto strings = new Proto().varint(1, 7).message(2, new Proto()).text(8, markdown); // a scalar of type string
        summary(step, new Proto().text(1, tag).message(8, strings).message(9, plugin));
    }

    /** Brings all events to the disk itself; needed only to survive a power cut. */
    public synchronized void flush() {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw FileException.cannotBeWritten(file, e);
        }
    }

    /** Ends the file; closing again does nothing. */
    @Override
    public synchronized void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw FileException.cannotBeWritten(file, e);
        }
    }

    private void summary(long step, Proto value) {
        append(event(step).message(5, new Proto().message(1, value)));
    }

    private Proto event(long step) {
        double seconds = clock.millis() / 1000.0;
        return new Proto().fixed(1, seconds).varint(2, step);
    }

    private synchronized void append(Proto event) {
        if (!channel.isOpen()) {
            throw new IllegalStateException("the event file " + file + " is closed");
        }
        ByteBuffer frame = TfRecord.frame(event.toBytes());
        int bytes = frame.remaining();
        try {
            long end = channel.position();
            try {
                while (frame.hasRemaining()) {
                    channel.write(frame);
                }
            } catch (IOException e) {
                boolean full =
                        DiskFullException.isTheReason(e, file.toAbsolutePath().getParent());
                channel.truncate(end);
                throw full
                        ? new DiskFullException(
                                file,
                                bytes,
                                DiskFullException.freeIn(file.toAbsolutePath().getParent()),
                                e)
                        : FileException.cannotBeWritten(file, e);
            }
        } catch (IOException e) {
            throw FileException.cannotBeWritten(file, e);
        }
    }

    /** The machine's name as the system knows it; asking the network for it can take seconds. */
    private static String host() {
        String name = System.getenv().getOrDefault("HOSTNAME", System.getenv("COMPUTERNAME"));
        try {
            name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            // Not Linux: the environment's name will do.
        }
        return name == null || name.isBlank() ? "localhost" : name.replaceAll("[^A-Za-z0-9_-]", "-");
    }
}
