package dev.tutti.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * A timeline in the format of Chrome's trace viewer, which Perfetto reads as well: a JSON array of events.
 *
 * <p>Events are gathered and go to the disk with {@link #flush}, or when there are many. After every one of these the file is a
 * whole array, so it can be looked at while it grows and after its writer was killed. Times are in microseconds.
 */
public final class TraceFile implements AutoCloseable {
    private static final int MANY = 1 << 16;
    private static final String END = "\n]\n";

    private final Path path;
    private final FileChannel channel;
    private final StringBuilder gathered = new StringBuilder("[");
    private long end; // where the closing bracket begins
    private boolean first = true;

    private TraceFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Begins a file, in place of one that is there already.
     *
     * @throws FileException if it cannot be written
     */
    public static TraceFile create(Path path) {
        try {
            Path folder = path.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            FileChannel channel = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
            TraceFile file = new TraceFile(path, channel);
            file.flush();
            return file;
        } catch (IOException e) {
            throw FileException.cannotBeWritten(path, e);
        }
    }

    /** Names a group of rows, one for each member. */
    public void process(int process, String name) {
        describe("process_name", process, 0, "\"name\":\"" + escaped(name) + "\"");
        describe("process_sort_index", process, 0, "\"sort_index\":" + process);
    }

    /** Names a row of a group. */
    public void thread(int process, int thread, String name) {
        describe("thread_name", process, thread, "\"name\":\"" + escaped(name) + "\"");
    }

    private void describe(String what, int process, int thread, String argument) {
        event(String.format(
                Locale.ROOT,
                "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{%s}}",
                what,
                process,
                thread,
                argument));
    }

    /** Something that took some time. */
    public void span(int process, int thread, String name, double beganMicros, double micros) {
        event(String.format(
                Locale.ROOT,
                "{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%d,\"tid\":%d}",
                escaped(name),
                beganMicros,
                micros,
                process,
                thread));
    }

    private void event(String text) {
        gathered.append(first ? "\n" : ",\n").append(text);
        first = false;
        if (gathered.length() > MANY) {
            flush();
        }
    }

    /**
     * Brings what was gathered into the file.
     *
     * @throws DiskFullException if there is no room
     */
    public void flush() {
        if (gathered.isEmpty()) {
            return;
        }
        byte[] bytes = (gathered + END).getBytes(StandardCharsets.UTF_8);
        gathered.setLength(0);
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            long at = end; // the new events go over the closing bracket, and bring another
            while (buffer.hasRemaining()) {
                at += channel.write(buffer, at);
            }
            end = at - END.length();
        } catch (IOException e) {
            throw DiskFullException.isTheReason(e, path.toAbsolutePath().getParent())
                    ? new DiskFullException(
                            path,
                            bytes.length,
                            DiskFullException.freeIn(path.toAbsolutePath().getParent()),
                            e)
                    : FileException.cannotBeWritten(path, e);
        }
    }

    private static String escaped(String text) {
        StringBuilder safe = new StringBuilder();
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                safe.append('\\').append(each);
            } else if (each < ' ') {
                safe.append(' ');
            } else {
                safe.append(each);
            }
        }
        return safe.toString();
    }

    @Override
    public void close() {
        try {
            flush();
        } finally {
            try {
                channel.close();
            } catch (IOException e) {
                throw FileException.cannotBeWritten(path, e);
            }
        }
    }
}
