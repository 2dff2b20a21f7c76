package dev.tutti.spark.launch;

import dev.tutti.io.FileException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Files that every member begins with, which Spark brings to the executors: a checkpoint to go on from, or parameters. */
final class StartFiles implements Serializable {
    static final String WEIGHTS = "weights.safetensors";
    private static final long serialVersionUID = 1;
    private static final int PIECE = 64 << 20;

    private final LinkedHashMap<String, ArrayList<byte[]>> files = new LinkedHashMap<>();

    static StartFiles of(List<Path> paths) {
        StartFiles start = new StartFiles();
        for (Path path : paths) {
            try (InputStream in = Files.newInputStream(path)) {
                ArrayList<byte[]> pieces = new ArrayList<>();
                byte[] piece = in.readNBytes(PIECE);
                while (piece.length > 0) {
                    pieces.add(piece);
                    piece = in.readNBytes(PIECE);
                }
                start.files.put(path.getFileName().toString(), pieces);
            } catch (IOException e) {
                throw new FileException(path.toString(), "cannot be read: " + e.getMessage(), e);
            }
        }
        return start;
    }

    boolean isEmpty() {
        return files.isEmpty();
    }

    boolean hasWeights() {
        return files.containsKey(WEIGHTS);
    }

    void writeTo(Path folder) {
        for (Map.Entry<String, ArrayList<byte[]>> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            try {
                Files.createDirectories(folder);
                try (OutputStream out = Files.newOutputStream(path)) {
                    for (byte[] piece : file.getValue()) {
                        out.write(piece);
                    }
                }
            } catch (IOException e) {
                throw FileException.cannotBeWritten(path, e);
            }
        }
    }
}
