package dev.tutti.train.run;

import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;

/** Reads the metrics of a run as they are written. A run that is resumed writes the file anew, which is then read from its beginning. */
final class EventReader {
    private final Path file;
    private Object key;
    private long offset;

    EventReader(Path file) {
        this.file = file;
    }

    /** The events that have come since the last call; a line that is being written is left for the next one. */
    List<RunEvent> next() {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            if (!Objects.equals(now.fileKey(), key) || now.size() < offset) {
                key = now.fileKey();
                offset = 0;
            }
            return now.size() == offset ? List.of() : read();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be read: " + e.getMessage(), e);
        }
    }

    private List<RunEvent> read() throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(file);
                InputStream in = Channels.newInputStream(channel.position(offset))) {
            byte[] rest = in.readAllBytes();
            int end = rest.length;
            while (end > 0 && rest[end - 1] != '\n') {
                end--;
            }
            offset += end;
            return new String(rest, 0, end, StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> Json.read(line, RunEvent.class, file.toString()))
                    .toList();
        }
    }
}
