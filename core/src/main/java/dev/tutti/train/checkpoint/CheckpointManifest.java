package dev.tutti.train.checkpoint;

import dev.tutti.TuttiException;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.Checksum;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The table of contents of a checkpoint in parts. It is written when all parts are on disk, so a checkpoint is there when its manifest is.
 *
 * @param checksum SHA-256 of the file, with its own digits taken as zeros
 */
record CheckpointManifest(Checkpoint.Progress progress, List<SlicedTensors.Part> parts, String checksum) {
    static final String SUFFIX = ".manifest.json";
    private static final String NO_CHECKSUM = "0".repeat(64);

    CheckpointManifest(Checkpoint.Progress progress, List<SlicedTensors.Part> parts) {
        this(progress, parts, NO_CHECKSUM);
    }

    static boolean isManifest(Path file) {
        return file.getFileName().toString().endsWith(SUFFIX);
    }

    void write(Path file) {
        String text = Json.write(new CheckpointManifest(progress, parts));
        AtomicFile.write(file, text.replace(NO_CHECKSUM, sum(text)));
    }

    /** @throws CorruptFileException if it was cut short or changed */
    static CheckpointManifest read(Path file) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be read: " + e.getMessage(), e);
        }
        CheckpointManifest manifest;
        try {
            manifest = Json.read(text, CheckpointManifest.class, file.toString());
        } catch (TuttiException e) {
            throw new CorruptFileException(file.toString(), "is no whole manifest of a checkpoint", e);
        }
        if (manifest.checksum == null
                || !sum(text.replace(manifest.checksum, NO_CHECKSUM)).equals(manifest.checksum)) {
            throw new CorruptFileException(
                    file.toString(), "its bytes are not those that were written: the checksum does not fit");
        }
        return manifest;
    }

    private static String sum(String text) {
        return Checksum.sha256(text.getBytes(StandardCharsets.UTF_8));
    }
}
