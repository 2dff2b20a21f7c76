package dev.tutti.train.checkpoint;

import dev.tutti.array.NdArray;
import dev.tutti.data.Position;
import dev.tutti.io.Safetensors;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything a run needs to go on as if it had never stopped: parameters, optimizer, sums of the epoch under way, the place in
 * the data. Random numbers follow from the seed and the step, so they need no state of their own.
 *
 * <p>On disk it is one safetensors file with a checksum: arrays, and a note of {@link Progress} as JSON.
 */
public record Checkpoint(Map<String, NdArray> arrays, Progress progress) {
    private static final String NOTE = "tutti.progress";

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

    /** Writes the checkpoint whole or not at all. */
    public void write(Path file) {
        new Safetensors(arrays, Map.of(NOTE, Json.write(progress))).writeWithChecksum(file);
    }

    /**
     * Reads a checkpoint.
     *
     * @throws dev.tutti.io.CorruptFileException if it was cut short or changed
     */
    public static Checkpoint read(Path file) {
        Safetensors content = Safetensors.readVerified(file);
        return new Checkpoint(
                content.tensors(), Json.read(content.metadata().get(NOTE), Progress.class, file.toString()));
    }
}
