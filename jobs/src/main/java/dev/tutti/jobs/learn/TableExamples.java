package dev.tutti.jobs.learn;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.data.Dataset;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.source.Sources;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Examples of a model that takes rows of a table: lines of JSON with the label among the columns, in two files. */
final class TableExamples implements ExampleStore {
    private static final String LEARNED = "learned.jsonl";
    private static final String HELD_OUT = "held-out.jsonl";

    private final Path folder;
    private final int heldOutEvery;

    TableExamples(Path folder, int heldOutEvery) {
        this.folder = folder;
        this.heldOutEvery = heldOutEvery;
    }

    boolean exist() {
        return Files.exists(folder.resolve(LEARNED)) || Files.exists(folder.resolve(HELD_OUT));
    }

    @Override
    public long count() {
        return lines(LEARNED);
    }

    @Override
    public long heldOutCount() {
        return lines(HELD_OUT);
    }

    private long lines(String name) {
        Path file = folder.resolve(name);
        if (!Files.exists(file)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.count();
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be read: " + e.getMessage());
        }
    }

    /** Keeps rows with their labels; every so manieth is held out. They are on disk when this returns. */
    void add(List<Map<String, Object>> rows) {
        long seen = count() + heldOutCount();
        StringBuilder toLearn = new StringBuilder();
        StringBuilder toHold = new StringBuilder();
        for (int row = 0; row < rows.size(); row++) {
            boolean held = (seen + row) % heldOutEvery == heldOutEvery - 1;
            (held ? toHold : toLearn).append(line(rows.get(row))).append('\n');
        }
        append(HELD_OUT, toHold);
        append(LEARNED, toLearn);
    }

    private static String line(Map<String, Object> row) {
        ObjectNode node = Json.json().valueToTree(row);
        return node.toString();
    }

    /** Appends whole lines; a line that a crash cut off is overwritten. */
    private void append(String name, StringBuilder lines) {
        if (lines.isEmpty()) {
            return;
        }
        Path file = folder.resolve(name);
        try (FileChannel out =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long end = wholeLines(out);
            out.truncate(end);
            ByteBuffer bytes = ByteBuffer.wrap(lines.toString().getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                end += out.write(bytes, end);
            }
            out.force(false);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be written: " + e.getMessage());
        }
    }

    /** Where the last whole line ends. */
    private static long wholeLines(FileChannel file) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        for (long at = file.size(); at > 0; at--) {
            one.clear();
            file.read(one, at - 1);
            if (one.get(0) == '\n') {
                return at;
            }
        }
        return 0;
    }

    @Override
    public ObjectNode source(long from, long to, Path round) {
        ObjectNode source = Json.json().createObjectNode();
        source.put("type", "jsonLines");
        source.putArray("files").add(part(LEARNED, from, to, round).toString());
        return source;
    }

    @Override
    public Dataset heldOut(long from, int most) {
        long to = heldOutCount();
        Path part = part(HELD_OUT, Math.max(from, to - most), to, folder);
        return Dataset.of(Sources.jsonLines(part.toString()));
    }

    /** Some lines as a file of their own. */
    private Path part(String name, long from, long to, Path into) {
        Path file = into.resolve("part-" + name).toAbsolutePath();
        List<String> chosen = new ArrayList<>();
        try (Stream<String> lines = Files.lines(folder.resolve(name), StandardCharsets.UTF_8)) {
            lines.skip(from).limit(to - from).forEach(chosen::add);
        } catch (IOException e) {
            throw new FileException(folder.resolve(name).toString(), "cannot be read: " + e.getMessage());
        }
        AtomicFile.write(file, String.join("\n", chosen) + "\n");
        return file;
    }
}
