package dev.tutti.cluster.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.coordinator.PrivateFiles;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import dev.tutti.io.Temporary;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The facts of a coordinator on disk: a file with a {@linkplain JournalLine line} for each event that led to any.
 *
 * <p>A last line that was cut off by a crash is dropped: no reply depended on it.
 *
 * <p>Order of calls: {@link #open}, what was decided before with {@link #entries}, then {@link #append}, and {@link #compact} whenever
 * it {@link #isLong}. Compacting writes a summary beside the journal and, when that is on the disk, renames it over it: at every
 * moment there is one whole journal under the name, and what is left of an unfinished one is never read.
 */
public final class Journal implements CoordinatorLog {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final String NAME = "coordinator.log";
    private static final String NEXT = "coordinator.log.next";
    /** A shorter one is read in no time, and people may want to look into it. */
    private static final long SHORT = 1 << 20;
    /** Rewritten when it is so many times as long as its summary was: each fact is written about once more in its life. */
    private static final int GROWTH = 4;

    private final Path folder;
    private final Path file;
    private final FolderLock lock;
    private final long least;
    private final ObjectWriter writer = Json.json().writer().without(SerializationFeature.INDENT_OUTPUT);
    private FileChannel channel;
    private List<Entry> entries;
    private long limit;

    /** What one event led to. */
    public record Entry(long at, List<Fact> facts) {
        public Entry {
            facts = List.copyOf(facts);
        }
    }

    /** The first line of a journal that begins with a summary. @param summary how many lines of it follow */
    private record Head(int summary) {
        static final String BEGINNING = "{\"summary\":";
    }

    private Journal(Path folder, long least) throws IOException {
        this.folder = folder;
        this.least = least;
        file = folder.resolve(NAME);
        limit = least;
        lock = FolderLock.take(folder);
    }

    /** Opens the journal in a folder, which is made if it is not there. */
    public static Journal open(Path folder) {
        return open(folder, SHORT);
    }

    /** @param least bytes below which it never is {@linkplain #isLong long} */
    static Journal open(Path folder, long least) {
        try {
            Files.createDirectories(folder);
            Journal journal = new Journal(folder, least);
            try {
                journal.begin();
                return journal;
            } catch (IOException | RuntimeException e) {
                journal.close();
                throw e;
            }
        } catch (IOException e) {
            throw new FileException(folder.toString(), "the journal cannot be opened: " + e.getMessage(), e);
        }
    }

    private void begin() throws IOException {
        Files.deleteIfExists(folder.resolve(NEXT));
        channel = PrivateFiles.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        Temporary.syncFolder(folder);
        entries = read();
        channel.position(channel.size());
    }

    /** What was in it when it was opened. */
    @Override
    public List<Entry> entries() {
        return entries;
    }

    private List<Entry> read() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        List<Entry> found = new ArrayList<>();
        int begin = 0;
        int line = 0;
        int head = 0;
        while (begin < bytes.length) {
            int end = begin;
            while (end < bytes.length && bytes[end] != '\n') {
                end++;
            }
            Optional<String> json = end < bytes.length
                    ? JournalLine.json(new String(bytes, begin, end - begin, StandardCharsets.UTF_8))
                    : Optional.empty();
            line++;
            if (json.isEmpty()) {
                if (end < bytes.length - 1) {
                    throw changed("line " + line + " does not fit its checksum, and more lines follow");
                }
                break;
            }
            if (line == 1 && json.get().startsWith(Head.BEGINNING)) {
                head = Json.read(json.get(), Head.class, file.toString()).summary();
            } else {
                found.add(Json.read(json.get(), Entry.class, file.toString()));
            }
            begin = end + 1;
        }
        if (found.size() < head) {
            throw changed("it begins with a summary of " + head + " lines, but only " + found.size() + " are here");
        }
        if (begin < bytes.length) {
            LOG.warn("{}: the last line was cut off, it is dropped", file);
            channel.truncate(begin);
        }
        return found;
    }

    /** Something that no crash can do. */
    private CorruptFileException changed(String what) {
        return new CorruptFileException(file.toString(), what + ": the file was changed. Move it away to begin anew");
    }

    /**
     * Writes down what an event led to; returns when it is on the disk.
     *
     * @throws FileException if it could not be written, for instance because the disk is full. The journal then is as it was before, and
     *     the same facts may be appended again
     */
    @Override
    public void append(long at, List<Fact> facts) {
        if (facts.isEmpty()) {
            return;
        }
        long before = size();
        try {
            write(channel, new Entry(at, facts));
            channel.force(false);
        } catch (IOException e) {
            cutOff(before, e);
            throw new FileException(file.toString(), "cannot be written: " + e.getMessage(), e);
        }
    }

    /** Takes back what was written of a line: the next one must not follow half of another. */
    private void cutOff(long length, IOException because) {
        try {
            channel.truncate(length);
            channel.position(length);
        } catch (IOException e) {
            because.addSuppressed(e);
        }
    }

    private void write(FileChannel to, Object content) throws IOException {
        try {
            ByteBuffer line = JournalLine.of(writer.writeValueAsString(content));
            while (line.hasRemaining()) {
                to.write(line);
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("facts can be written as JSON", e);
        }
    }

    /** Whether it has grown so much that a summary is worth its while. */
    @Override
    public boolean isLong() {
        return size() > limit;
    }

    private long size() {
        try {
            return channel.position();
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * Begins anew with a summary of all that was entered so far. If there is no room for it beside the present file, that one is gone
     * on with.
     *
     * @throws FileException if the summary is written but cannot take the journal's place: then it is not known which one counts
     */
    @Override
    public void compact(List<Entry> summary) {
        long before = size();
        Path next = folder.resolve(NEXT);
        FileChannel written;
        try {
            written = writeWhole(next, summary);
        } catch (IOException e) {
            Temporary.deleteAfter(e, next);
            LOG.warn("{}: a summary of it could not be written, it goes on growing: {}", file, e.getMessage());
            limit = 2 * before;
            return;
        }
        try (FileChannel old = channel) {
            channel = written;
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            Temporary.syncFolder(folder);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be replaced by its summary: " + e.getMessage(), e);
        }
        limit = Math.max(least, GROWTH * size());
        LOG.debug("{}: {} bytes summed up in {}", file, before, size());
    }

    private FileChannel writeWhole(Path target, List<Entry> summary) throws IOException {
        FileChannel out = PrivateFiles.open(
                target,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE));
        try {
            write(out, new Head(summary.size()));
            for (Entry entry : summary) {
                write(out, entry);
            }
            out.force(true);
            return out;
        } catch (IOException | RuntimeException e) {
            out.close();
            throw e;
        }
    }

    @Override
    public void close() {
        try (lock;
                FileChannel last = channel) {
            LOG.debug("{}: closed", file);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be closed: " + e.getMessage(), e);
        }
    }
}
