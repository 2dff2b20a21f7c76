package dev.tutti.cluster.coordinator;

import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** Files that only their owner can read and write: journals and tokens hold the secrets of a job. */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private PrivateFiles() {}

    private static boolean hasModes(Path folder) throws IOException {
        return Files.getFileStore(folder).supportsFileAttributeView(PosixFileAttributeView.class);
    }

    /** Opens a file for its owner alone: a new one from its first moment on, one that is there from now on. */
    public static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
        if (!hasModes(file.toAbsolutePath().getParent())) {
            return FileChannel.open(file, options);
        }
        FileAttribute<?> mode = PosixFilePermissions.asFileAttribute(OWNER_ONLY);
        FileChannel channel = FileChannel.open(file, options, mode);
        try {
            Files.setPosixFilePermissions(file, OWNER_ONLY);
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Makes sure that only this user can have written or read a file.
     *
     * @throws FileException if it is no plain file, belongs to another user, or is open to others
     */
    public static void requireOwn(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw refused(file, "is not a plain file");
        }
        if (!hasModes(file.toAbsolutePath().getParent())) {
            return;
        }
        PosixFileAttributes attributes =
                Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        UserPrincipal self = self(file.toAbsolutePath().getParent());
        if (!attributes.owner().equals(self)) {
            throw refused(file, "belongs to " + attributes.owner().getName() + ", not to " + self.getName());
        }
        if (!OWNER_ONLY.containsAll(attributes.permissions())) {
            throw refused(file, "has the mode " + PosixFilePermissions.toString(attributes.permissions()));
        }
    }

    /** The user of this process, as the file system knows it. */
    private static UserPrincipal self(Path folder) throws IOException {
        Path made = Files.createTempFile(folder, ".owner", ".tmp");
        try {
            return Files.getOwner(made);
        } finally {
            Files.delete(made);
        }
    }

    private static FileException refused(Path file, String why) {
        return new FileException(
                file.toString(),
                why + ", so others may know what is in it: expected a file of this user with mode 600. Remove it, and a"
                        + " new one is made");
    }
}
