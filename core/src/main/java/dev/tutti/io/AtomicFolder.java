package dev.tutti.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes a folder whole or not at all: under another name first, brought to the disk, then renamed.
 *
 * <p>A folder that is there already is replaced with everything in it. No system renames one folder over another, so it
 * is first set aside; a program killed in the moment between leaves it there, where {@link #readable} finds it and the
 * next write brings it back.
 */
public final class AtomicFolder {
    private AtomicFolder() {}

    /** What is to be in the folder. */
    @FunctionalInterface
    public interface Content {
        /** Writes all of it into an empty folder, which will be renamed afterwards. */
        void writeTo(Path folder) throws IOException;
    }

    /**
     * Writes a folder and those above it, replacing what was there.
     *
     * @throws DiskFullException if there is no room
     * @throws FileException if it cannot be written for another reason; what the content itself throws comes out as it
     *     is
     */
    public static void write(Path folder, Content content) {
        Path target = folder.toAbsolutePath().normalize();
        Path temporary = Temporary.beside(target);
        try {
            if (Files.exists(target) && !Files.isDirectory(target)) {
                throw new FileException(folder.toString(), "is a file, so it cannot be written as a folder");
            }
            Files.createDirectories(target.getParent());
            bringBack(target);
            Files.createDirectory(temporary);
            content.writeTo(temporary);
            sync(temporary);
            replace(target, temporary);
        } catch (DiskFullException e) {
            throw diskFull(folder, temporary, e.needed(), e);
        } catch (IOException e) {
            if (DiskFullException.isTheReason(e, target.getParent())) {
                throw diskFull(folder, temporary, 0, e);
            }
            Temporary.deleteAfter(e, temporary);
            throw FileException.cannotBeWritten(folder, e);
        } catch (RuntimeException | Error e) {
            Temporary.deleteAfter(e, temporary);
            throw e;
        }
    }

    /** Where the content of a folder is to be read: the folder itself unless a write was cut off while replacing it. */
    public static Path readable(Path folder) {
        Path aside = aside(folder);
        return !Files.exists(folder) && Files.exists(aside) ? aside : folder;
    }

    private static void replace(Path target, Path temporary) throws IOException {
        Path aside = aside(target);
        boolean replaces = Files.exists(target);
        if (replaces) {
            Files.move(target, aside, StandardCopyOption.ATOMIC_MOVE);
        }
        try {
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            bringBack(target);
            throw e;
        }
        Temporary.syncFolder(target.getParent());
        if (replaces) {
            Temporary.delete(aside);
        }
    }

    /**
     * Undoes what a killed writer left: the old folder comes back if it is missing, or its last remains are removed.
     */
    private static void bringBack(Path target) throws IOException {
        Path aside = aside(target);
        if (!Files.exists(aside)) {
            return;
        }
        if (Files.exists(target)) {
            Temporary.delete(aside);
        } else {
            Files.move(aside, target, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static Path aside(Path target) {
        return target.resolveSibling("." + target.getFileName() + ".old");
    }

    private static void sync(Path folder) throws IOException {
        for (Path path : contents(folder)) {
            if (Files.isDirectory(path)) {
                Temporary.syncFolder(path);
            } else {
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    channel.force(true);
                }
            }
        }
    }

    private static DiskFullException diskFull(Path folder, Path temporary, long stillNeeded, Exception cause) {
        long needed = stillNeeded;
        try {
            for (Path path : contents(temporary)) {
                needed += Files.isRegularFile(path) ? Files.size(path) : 0;
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        Temporary.deleteAfter(cause, temporary);
        return new DiskFullException(
                folder, needed, DiskFullException.freeIn(folder.toAbsolutePath().getParent()), cause);
    }

    private static List<Path> contents(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.toList();
        }
    }
}
