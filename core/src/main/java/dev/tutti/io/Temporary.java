package dev.tutti.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The unfinished files and folders of {@link AtomicFile} and {@link AtomicFolder}: hidden, beside what they shall
 * become.
 */
public final class Temporary {
    private static final Pattern NAME = Pattern.compile("\\..+\\.[0-9a-f]{8}\\.tmp");

    private Temporary() {}

    /** Whether a file or folder is an unfinished one, by its name; code that lists a folder skips these. */
    public static boolean is(Path path) {
        return path.getFileName() != null
                && NAME.matcher(path.getFileName().toString()).matches();
    }

    /**
     * Removes the remains of killed writers from a folder. Call it when no writer is at work there, such as at
     * the start of a run that owns the folder.
     */
    public static void sweep(Path folder) {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.list(folder)) {
            for (Path path : paths.filter(Temporary::is).toList()) {
                delete(path);
            }
        } catch (IOException e) {
            throw new FileException(folder.toString(), "unfinished files cannot be removed: " + e.getMessage(), e);
        }
    }

    static Path beside(Path target) {
        String random = String.format("%08x", ThreadLocalRandom.current().nextInt());
        return target.resolveSibling("." + target.getFileName() + "." + random + ".tmp");
    }

    /** Deletes a file or a folder with all that is in it, if it is there. */
    static void delete(Path path) throws IOException {
        List<Path> inside;
        try (Stream<Path> paths = Files.walk(path)) {
            inside = paths.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException e) {
            return;
        }
        for (Path one : inside) {
            Files.deleteIfExists(one);
        }
    }

    /** Deletes after a failure, whose story is told by the exception under way. */
    public static void deleteAfter(Throwable failure, Path path) {
        try {
            delete(path);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Makes the names in a folder survive a power cut, where the system can do that. */
    public static void syncFolder(Path folder) throws IOException {
        if (folder.getFileSystem().getSeparator().equals("\\")) {
            return; // Windows keeps its folders in a journal and opens none of them
        }
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
