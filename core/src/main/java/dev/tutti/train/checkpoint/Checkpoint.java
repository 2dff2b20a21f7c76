package dev.tutti.train.checkpoint;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Position;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.EpochResult;
import dev.tutti.train.TrainingException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything a run needs to go on as if it had never stopped: parameters, optimizer, sums of the epoch under way, the place in
 * the data. Random numbers follow from the seed and the step, so they need no state of their own.
 *
 * <p>On disk it is one safetensors file with a checksum, which holds tensors and a note of {@link Progress} as JSON; or, where members
 * held different parts of the state, one such file for each of them and a {@linkplain CheckpointManifest manifest}. It is read by slice
 * from mapped memory, on any number of members, independent of their number when it was written.
 */
public final class Checkpoint {
    static final String NOTE = "tutti.progress";
    static final String TOTALS = "totals.";

    /**
     * Where the run stands.
     *
     * @param run the run it belongs to: another one's may lie in the same folder
     * @param epoch epochs that are done
     * @param step updates that are done
     * @param position the place in the data of the epoch under way; null between two epochs
     * @param recipe optimizer, loss, metrics and seed as JSON, to notice when they are not the same any more
     * @param callbacks what callbacks remember, by their names
     * @param settings what was set while the run was under way
     * @param frozen parameters that do not move
     * @param epochs results of the epochs that are done
     */
    public record Progress(
            String run,
            int epoch,
            long step,
            Position position,
            String recipe,
            Map<String, Map<String, Double>> callbacks,
            Map<String, String> settings,
            Set<String> frozen,
            List<EpochResult> epochs) {
        public Progress {
            settings = settings == null ? Map.of() : Map.copyOf(settings);
            frozen = frozen == null ? Set.of() : Set.copyOf(frozen);
        }
    }

    private final Path file;
    private final String checksum;
    private final Progress progress;
    private final SlicedTensors tensors = new SlicedTensors();

    private Checkpoint(Path file, String checksum, Progress progress) {
        this.file = file;
        this.checksum = checksum;
        this.progress = progress;
    }

    /**
     * Opens a checkpoint after reading all of it once.
     *
     * @param file the one file of a checkpoint, or its manifest
     * @throws CorruptFileException if a file of it was cut short or changed, or is missing
     */
    public static Checkpoint open(Path file) {
        return open(file, true);
    }

    /** The same without comparing checksums with the bytes: for members that know the {@link #checksum} from one that has done so. */
    static Checkpoint openUnverified(Path file) {
        return open(file, false);
    }

    private static Checkpoint open(Path file, boolean verify) {
        if (CheckpointManifest.isManifest(file)) {
            return ofParts(file, verify);
        }
        TensorFile content = verify ? TensorFile.openVerified(file) : TensorFile.open(file);
        String note = content.metadata().get(NOTE);
        if (note == null) {
            throw new CorruptFileException(file.toString(), "is no checkpoint: it has no note " + NOTE);
        }
        Checkpoint checkpoint =
                new Checkpoint(file, content.checksum(), Json.read(note, Progress.class, file.toString()));
        checkpoint.tensors.add(content);
        return checkpoint;
    }

    private static Checkpoint ofParts(Path file, boolean verify) {
        CheckpointManifest manifest = CheckpointManifest.read(file);
        Checkpoint checkpoint = new Checkpoint(file, manifest.checksum(), manifest.progress());
        manifest.parts().forEach(part -> checkpoint.tensors.add(part.open(file, verify)));
        return checkpoint;
    }

    /** The file that it was opened from. */
    public Path file() {
        return file;
    }

    /** What tells its bytes from those of any other. */
    public String checksum() {
        return checksum;
    }

    public Progress progress() {
        return progress;
    }

    /** The names of what it holds. */
    public Set<String> names() {
        return tensors.names();
    }

    /** The shape of all of something it holds. */
    public Shape shape(String name) {
        return tensors.shape(present(name));
    }

    /** The type of the elements of something it holds. */
    public DType type(String name) {
        return tensors.type(present(name));
    }

    private String present(String name) {
        if (!tensors.names().contains(name)) {
            throw new TrainingException(
                    "the checkpoint has no '" + name + "', which this run needs to go on: it was made"
                            + " under another strategy; choose that one, or another folder to begin anew");
        }
        return name;
    }

    /**
     * Reads a slice, from as many files as it lies in.
     *
     * @throws TrainingException if the checkpoint has no such slice
     */
    public void read(Slice slice, Tensor into) {
        Shape whole = shape(slice.parameter());
        if (!whole.equals(slice.whole())) {
            throw new TrainingException("the checkpoint holds '" + slice.parameter() + "' as " + whole
                    + ", this run needs it as " + slice.whole() + ": the model is another one");
        }
        tensors.read(slice, into, file.toString());
    }

    /** All of something it holds, as an array of the JVM. */
    public NdArray array(String name) {
        try (Scope scope = Scope.open()) {
            Tensor all = Tensor.empty(shape(name), type(name));
            read(Slice.all(name, shape(name)), all);
            return all.toArray();
        }
    }

    /** All of it but the tensors. */
    public ProgressMessage message() {
        Map<String, long[]> totals = new LinkedHashMap<>();
        for (String name : tensors.names()) {
            if (name.startsWith(TOTALS)) {
                totals.put(name.substring(TOTALS.length()), array(name).longs());
            }
        }
        return new ProgressMessage(progress, totals);
    }
}
