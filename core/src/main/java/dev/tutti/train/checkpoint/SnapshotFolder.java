package dev.tutti.train.checkpoint;

import dev.tutti.io.FileException;
import dev.tutti.io.TensorFile;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots of a state that several processes hold, as checkpoints in parts: each process writes its part, and the manifest is written
 * when all parts are on disk. A snapshot is there when its manifest is; a damaged one is passed over.
 */
public final class SnapshotFolder {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotFolder.class);

    private final Path path;
    private final CheckpointFolder files;

    public SnapshotFolder(Path folder) {
        path = folder.toAbsolutePath();
        files = new CheckpointFolder(path);
    }

    /**
     * A part file.
     *
     * @param file its name in the folder
     * @param checksum as the file itself states it
     */
    public record Part(String file, long bytes, String checksum) {}

    /**
     * A snapshot that was read to its end once.
     *
     * @param version the updates that it holds
     */
    public record Snapshot(long version, List<TensorFile> parts) {}

    /**
     * Writes one part.
     *
     * @param writing tells the parts of this attempt from those of others for the same version
     * @param number of the part
     */
    public Part writePart(
            long version, String writing, int number, Map<String, Tensor> tensors, Map<String, String> notes) {
        Path file = files.part(version, writing, number);
        String checksum = TensorFile.write(file, tensors, notes);
        try {
            return new Part(file.getFileName().toString(), Files.size(file), checksum);
        } catch (IOException e) {
            throw FileException.cannotBeWritten(file, e);
        }
    }

    /** Writes the manifest of parts that are on disk, then deletes all but the newest few snapshots. */
    public void complete(String run, long version, List<Part> parts, int keep) {
        Checkpoint.Progress progress =
                new Checkpoint.Progress(run, 0, version, null, "", Map.of(), Map.of(), Set.of(), List.of());
        Path manifest = files.manifest(version);
        new CheckpointManifest(
                        progress,
                        parts.stream()
                                .map(part -> new SlicedTensors.Part(part.file(), part.bytes(), part.checksum()))
                                .toList())
                .write(manifest);
        files.keep(keep, manifest);
    }

    /** The newest sound snapshot of a run; those of others, and damaged ones, are passed over. */
    public Optional<Snapshot> newestOf(String run) {
        List<Path> all =
                files.files().stream().filter(CheckpointManifest::isManifest).toList();
        for (int i = all.size() - 1; i >= 0; i--) {
            Path file = all.get(i);
            try {
                CheckpointManifest manifest = CheckpointManifest.read(file);
                if (manifest.progress().run().equals(run)) {
                    return Optional.of(new Snapshot(
                            manifest.progress().step(),
                            manifest.parts().stream()
                                    .map(part -> part.open(file, true))
                                    .toList()));
                }
            } catch (FileException e) { // damaged, or deleted meanwhile because there is a newer one
                LOG.warn("{}; the snapshot before it is tried", e.getMessage());
            }
        }
        return Optional.empty();
    }
}
