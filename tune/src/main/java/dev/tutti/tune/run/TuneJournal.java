package dev.tutti.tune.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.tune.TrialEvent;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The events of a search on disk, one on a line. An event is on disk before it counts; a last line that was cut short is dropped. One
 * process at a time holds it.
 */
final class TuneJournal implements AutoCloseable {
    private final Path file;
    private final RandomAccessFile out;
    private final FileLock lock;
    private final List<TrialEvent> earlier = new ArrayList<>();

    TuneJournal(Path file) {
        this.file = file;
        RandomAccessFile opened = null;
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            opened = new RandomAccessFile(file.toFile(), "rw");
            FileLock taken = opened.getChannel().tryLock();
            if (taken == null) {
                throw new FileException(file.toString(), "another search is under way in this folder");
            }
            lock = taken;
            out = opened;
            read();
        } catch (IOException e) {
            close(opened);
            throw new FileException(file.toString(), "cannot be opened: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            close(opened);
            throw e;
        }
    }

    private void read() throws IOException {
        byte[] bytes = new byte[Math.toIntExact(out.length())];
        out.readFully(bytes);
        String text = new String(bytes, StandardCharsets.UTF_8);
        int whole = text.lastIndexOf('\n') + 1;
        for (String line : text.substring(0, whole).split("\n")) {
            if (!line.isBlank()) {
                earlier.add(Json.read(line, TrialEvent.class, file.toString()));
            }
        }
        long end = text.substring(0, whole).getBytes(StandardCharsets.UTF_8).length;
        out.setLength(end);
        out.seek(end);
    }

    /** What was written before this process. */
    List<TrialEvent> earlier() {
        return List.copyOf(earlier);
    }

    void append(TrialEvent event) {
        try {
            String line = Json.json()
                    .writer()
                    .without(SerializationFeature.INDENT_OUTPUT)
                    .writeValueAsString(event);
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            out.getFD().sync();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an event cannot be written", e);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be written: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            lock.release();
        } catch (IOException e) {
            // closing releases it too
        }
        close(out);
    }

    private static void close(RandomAccessFile file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // every event was synchronised
        }
    }
}
