package dev.tutti.io;

/** A file that is there but does not hold what it should: cut short, changed, or of another format. */
public class CorruptFileException extends FileException {
    private static final long serialVersionUID = 1L;

    public CorruptFileException(String file, String message) {
        super(file, message);
    }

    public CorruptFileException(String file, String message, Throwable cause) {
        super(file, message, cause);
    }
}
