package dev.tutti.spark.storage;

import dev.tutti.io.FileException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A folder of any file system that Hadoop knows, which is kept the same as a folder of this machine. Files are written in the order in
 * which they were made here; where a file system shows files while they are written they have another name until they are whole.
 */
public final class HadoopFolder {
    /** Object stores show a file when all of it is there, and rename by copying. */
    private static final Set<String> OBJECT_STORES = Set.of("s3", "s3a", "s3n", "gs", "abfs", "abfss", "wasb", "wasbs");

    private static final String UNFINISHED = ".unfinished";

    private record Version(long bytes, FileTime time) {}

    private final Path root;
    private final FileSystem system;
    private final Map<String, Version> uploaded = new TreeMap<>();

    private HadoopFolder(Path root, FileSystem system) {
        this.root = root;
        this.system = system;
    }

    /** A folder by its address, with the settings of Hadoop that are on the class path. */
    public static HadoopFolder at(String address) {
        return at(address, new Configuration());
    }

    /** @param address such as {@code hdfs://name:8020/models/digits} or {@code s3a://bucket/digits} */
    public static HadoopFolder at(String address, Configuration hadoop) {
        try {
            Path root = new Path(address);
            FileSystem found = root.getFileSystem(hadoop);
            // Checksum files beside those of a model would be taken for a part of it.
            return new HadoopFolder(root, found instanceof LocalFileSystem local ? local.getRawFileSystem() : found);
        } catch (IOException | IllegalArgumentException e) {
            throw new FileException(address, "this file system cannot be reached: " + e.getMessage(), e);
        }
    }

    /** Whether a text is an address with a scheme, and not a path of this machine. */
    public static boolean isAddress(String text) {
        return text.matches("[a-z][a-z0-9+.-]+:/.*");
    }

    public boolean exists() {
        try {
            return system.exists(root);
        } catch (IOException e) {
            throw failed("cannot be looked for", e);
        }
    }

    /** Copies all files, those of folders below as well, into a folder of this machine. */
    public void download(java.nio.file.Path local) {
        try {
            Files.createDirectories(local);
            for (Map.Entry<String, FileStatus> file : files().entrySet()) {
                java.nio.file.Path target = local.resolve(file.getKey()).normalize();
                if (!target.startsWith(local.normalize())) {
                    throw new FileException(file.getKey(), "is no name of a file within " + root);
                }
                Files.createDirectories(target.getParent());
                try (InputStream in = system.open(file.getValue().getPath());
                        OutputStream out = Files.newOutputStream(target)) {
                    in.transferTo(out);
                }
                uploaded.put(file.getKey(), version(target));
            }
        } catch (IOException e) {
            throw failed("cannot be read", e);
        }
    }

    /** Files by their names below the folder, with slashes. */
    private Map<String, FileStatus> files() throws IOException {
        Map<String, FileStatus> files = new LinkedHashMap<>();
        if (!system.exists(root)) {
            return files;
        }
        list(root, "", files);
        return files;
    }

    private void list(Path folder, String prefix, Map<String, FileStatus> into) throws IOException {
        for (FileStatus entry : system.listStatus(folder)) {
            String name = prefix + entry.getPath().getName();
            if (entry.isDirectory()) {
                list(entry.getPath(), name + "/", into);
            } else if (!name.endsWith(UNFINISHED)) {
                into.put(name, entry);
            }
        }
    }

    /**
     * Makes the folder the same as one of this machine: files that are new or have changed since the last call are written, then those
     * that are gone are deleted. Files that a writer has not finished yet, which begin with a dot, are left out.
     */
    public void upload(java.nio.file.Path local) {
        try {
            Map<String, Version> present = new LinkedHashMap<>();
            for (java.nio.file.Path file : listed(local)) {
                String name = local.relativize(file).toString().replace(File.separatorChar, '/');
                Version version = version(file);
                present.put(name, version);
                if (!version.equals(uploaded.get(name))) {
                    write(file, name);
                    uploaded.put(name, version);
                }
            }
            for (String name : List.copyOf(uploaded.keySet())) {
                if (!present.containsKey(name)) {
                    system.delete(new Path(root, name), false);
                    uploaded.remove(name);
                }
            }
        } catch (IOException e) {
            throw failed("cannot be written", e);
        }
    }

    private static List<java.nio.file.Path> listed(java.nio.file.Path local) throws IOException {
        if (!Files.isDirectory(local)) {
            return List.of();
        }
        try (Stream<java.nio.file.Path> files = Files.walk(local)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().startsWith("."))
                    .sorted(Comparator.comparing(HadoopFolder::time).thenComparing(Comparator.naturalOrder()))
                    .toList();
        }
    }

    private static long time(java.nio.file.Path file) {
        return file.toFile().lastModified();
    }

    private static Version version(java.nio.file.Path file) throws IOException {
        return new Version(Files.size(file), Files.getLastModifiedTime(file));
    }

    private void write(java.nio.file.Path file, String name) throws IOException {
        Path target = new Path(root, name);
        Path first = OBJECT_STORES.contains(String.valueOf(system.getUri().getScheme()))
                ? target
                : target.suffix(UNFINISHED);
        try (InputStream in = Files.newInputStream(file);
                OutputStream out = system.create(first, true)) {
            in.transferTo(out);
        }
        if (!first.equals(target)) {
            system.delete(target, false);
            if (!system.rename(first, target)) {
                throw new IOException(first + " could not be renamed");
            }
        }
    }

    /** Gives the folder another name, {@code NAME.old}, in place of what had that name. */
    public void setAside() {
        Path aside = root.suffix(".old");
        try {
            system.delete(aside, true);
            if (system.exists(root) && !system.rename(root, aside)) {
                throw new IOException("it could not be renamed to " + aside);
            }
        } catch (IOException e) {
            throw failed("cannot be set aside", e);
        }
    }

    private FileException failed(String what, IOException e) {
        return new FileException(root.toString(), what + ": " + e.getMessage(), e);
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
