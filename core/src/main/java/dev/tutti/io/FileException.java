package dev.tutti.io;

import dev.tutti.TuttiException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file that cannot be read or written; the message begins with its name. */
public class FileException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public FileException(String file, String message) {
        super(file + ": " + message);
    }

    public FileException(String file, String message, Throwable cause) {
        super(file + ": " + message, cause);
    }

    static FileException cannotBeRead(String file, IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return new FileException(file, "there is no such file", cause);
        }
        return new FileException(file, "cannot be read: " + reason(cause), cause);
    }

    public static FileException cannotBeWritten(Path file, IOException cause) {
        return new FileException(file.toString(), "cannot be written: " + reason(cause), cause);
    }

    /** The system's error in words; the messages of file exceptions often hold a name only. */
    private static String reason(IOException cause) {
        if (cause instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (cause instanceof FileSystemException system) {
            String kind = system.getClass().getSimpleName().replace("Exception", "");
            return system.getReason() != null ? system.getReason() : kind + " " + system.getFile();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
