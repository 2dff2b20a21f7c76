package dev.tutti.cluster.coordinator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The facts of a coordinator on disk: a file with a line for each event that led to any.
 *
 * <p>A line is a checksum, a space and JSON. A last line that was cut off by a crash is dropped: nobody was told of it. The file
 * is locked, so that two coordinators cannot share it.
 */
public final class Journal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final String NAME = "coordinator.log";

    private final Path file;
    private final FileChannel channel;
    private final ObjectWriter writer = Json.json().writerFor(Entry.class).without(SerializationFeature.INDENT_OUTPUT);
    private List<Entry> entries;

    /** What one event led to. */
    public record Entry(long at, List<Fact> facts) {
        public Entry {
            facts = List.copyOf(facts);
        }
    }

    private Journal(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Opens the journal in a folder, which is made if it is not there. */
    public static Journal open(Path folder) {
        Path file = folder.resolve(NAME);
        try {
            Files.createDirectories(folder);
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                Journal journal = new Journal(file, channel);
                journal.lock();
                journal.entries = journal.read();
                return journal;
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be opened: " + e.getMessage(), e);
        }
    }

    private void lock() throws IOException {
        try {
            if (channel.tryLock() != null) {
                return;
            }
        } catch (OverlappingFileLockException e) {
            LOG.debug("locked by this process", e);
        }
        throw new FileException(
                file.toString(), "another coordinator uses it: end that one, or give this one a folder of its own");
    }

    /** What was in it when it was opened. */
    public List<Entry> entries() {
        return entries;
    }

    private List<Entry> read() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        List<Entry> found = new ArrayList<>();
        int begin = 0;
        while (begin < bytes.length) {
            int end = begin;
            while (end < bytes.length && bytes[end] != '\n') {
                end++;
            }
            Entry entry =
                    end < bytes.length ? parse(new String(bytes, begin, end - begin, StandardCharsets.UTF_8)) : null;
            if (entry == null) {
                if (end < bytes.length - 1) {
                    throw new CorruptFileException(
                            file.toString(),
                            "line " + (found.size() + 1) + " does not fit its checksum, and more lines follow: the file"
                                    + " was changed. Move it away to begin anew");
                }
                LOG.warn("{}: the last line was cut off, it is dropped", file);
                channel.truncate(begin);
                break;
            }
            found.add(entry);
            begin = end + 1;
        }
        channel.position(channel.size());
        return found;
    }

    private Entry parse(String line) {
        int space = line.indexOf(' ');
        if (space < 0 || !line.substring(0, space).equals(checksum(line.substring(space + 1)))) {
            return null;
        }
        return Json.read(line.substring(space + 1), Entry.class, file.toString());
    }

    /** Writes down what an event led to; returns when it is on the disk. */
    public void append(long at, List<Fact> facts) {
        if (facts.isEmpty()) {
            return;
        }
        try {
            String json = writer.writeValueAsString(new Entry(at, facts));
            ByteBuffer line = StandardCharsets.UTF_8.encode(checksum(json) + " " + json + "\n");
            while (line.hasRemaining()) {
                channel.write(line);
            }
            channel.force(false);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("facts can be written as JSON", e);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be written: " + e.getMessage(), e);
        }
    }

    private static String checksum(String json) {
        CRC32C crc = new CRC32C();
        crc.update(json.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", crc.getValue());
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be closed: " + e.getMessage(), e);
        }
    }
}
