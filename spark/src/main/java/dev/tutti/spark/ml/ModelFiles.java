package dev.tutti.spark.ml;

import dev.tutti.io.AtomicFolder;
import dev.tutti.io.FileException;
import dev.tutti.spark.launch.ScratchFolder;
import dev.tutti.train.Predictor;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;

/** The files of a saved model, which Spark brings to executors and which are an ordinary folder of Tutti wherever they are written. */
public final class ModelFiles implements Serializable {
    private static final long serialVersionUID = 1;

    private final String id = UUID.randomUUID().toString();
    private final TreeMap<String, byte[]> files = new TreeMap<>();

    /** Reads the folder of a saved model. */
    public static ModelFiles read(Path folder) {
        ModelFiles model = new ModelFiles();
        try (Stream<Path> all = Files.list(AtomicFolder.readable(folder))) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                model.files.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be read: " + e.getMessage(), e);
        }
        if (!model.files.containsKey("model.json")) {
            throw new FileException(folder.toString(), "is not a saved model: there is no model.json in it");
        }
        return model;
    }

    /** Reads a saved model from a path of any file system that Hadoop knows. */
    public static ModelFiles read(String path, Configuration hadoop) {
        org.apache.hadoop.fs.Path from = new org.apache.hadoop.fs.Path(path);
        try (ScratchFolder copy = ScratchFolder.create("model")) {
            Path local = copy.path().resolve("model");
            FileSystem system = from.getFileSystem(hadoop);
            system.copyToLocalFile(false, from, new org.apache.hadoop.fs.Path(local.toUri()), true);
            return read(local);
        } catch (IOException e) {
            throw new FileException(path, "no model can be read there: " + e.getMessage(), e);
        }
    }

    /** Writes a folder that {@code ./tutti predict} and {@code Predictor.load} read. */
    public void write(Path folder) {
        try {
            Files.createDirectories(folder);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                Files.write(folder.resolve(file.getKey()), file.getValue());
            }
        } catch (IOException e) {
            throw FileException.cannotBeWritten(folder, e);
        }
    }

    /** Writes the folder to a path of any file system that Hadoop knows. */
    public void write(String path, Configuration hadoop) {
        org.apache.hadoop.fs.Path to = new org.apache.hadoop.fs.Path(path);
        try {
            FileSystem found = to.getFileSystem(hadoop);
            // Checksum files beside those of the model would be taken for a part of it.
            FileSystem system = found instanceof LocalFileSystem local ? local.getRawFileSystem() : found;
            system.mkdirs(to);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                try (var out = system.create(new org.apache.hadoop.fs.Path(to, file.getKey()), true)) {
                    out.write(file.getValue());
                }
            }
        } catch (IOException e) {
            throw new FileException(path, "the model cannot be written there: " + e.getMessage(), e);
        }
    }

    /** What tells this model from others in a JVM. */
    String id() {
        return id;
    }

    /** Loads the model to ask it. */
    public Predictor predictor() {
        try (ScratchFolder folder = ScratchFolder.create("model")) {
            write(folder.path().resolve("model"));
            return Predictor.load(folder.path().resolve("model"));
        }
    }

    @Override
    public String toString() {
        return "model " + id;
    }
}
