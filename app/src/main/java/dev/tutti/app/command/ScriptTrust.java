package dev.tutti.app.command;

import dev.tutti.app.UsageException;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.Checksum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The TorchScript files that may run code here: those that Tutti has written itself and those that the user has trusted once, known by
 * their checksums. The list is kept in the user's own folder, since a list that came with a model would prove nothing.
 */
public final class ScriptTrust {
    /** The system property that says where the list is instead. */
    public static final String FILE = "tutti.trusted";

    private final Path file;

    private ScriptTrust(Path file) {
        this.file = file;
    }

    static ScriptTrust ofUser() {
        String said = System.getProperty(FILE);
        if (said != null) {
            return new ScriptTrust(Path.of(said));
        }
        String state = Optional.ofNullable(System.getenv("XDG_STATE_HOME"))
                .filter(path -> path.startsWith("/"))
                .orElse(System.getProperty("user.home") + "/.local/state");
        return new ScriptTrust(Path.of(state, "tutti", "trusted"));
    }

    /**
     * Requires that files may run code.
     *
     * @param trust whether the user has said so now; then it is remembered
     * @throws UsageException if one of them is unknown; it says what to do
     */
    void require(List<Path> scripts, boolean trust) {
        List<Path> existing =
                scripts.stream().filter(Files::isRegularFile).toList(); // what is missing is said by who reads it
        if (existing.isEmpty()) {
            return;
        }
        Set<String> known = known();
        for (Path script : existing) {
            if (!trust && !known.contains(Checksum.sha256(script))) {
                throw new UsageException(
                        script + ": is a TorchScript file, a program that runs with your rights when it is loaded,"
                                + " and Tutti has not written it. If you trust where it comes from, say --trust; it is remembered");
            }
        }
        if (trust) {
            add(existing);
        }
    }

    /** Remembers files that may run code. */
    void add(List<Path> scripts) {
        Set<String> all = known();
        List<String> lines = new ArrayList<>(all);
        for (Path script : scripts) {
            String checksum = Checksum.sha256(script);
            if (all.add(checksum)) {
                lines.add(checksum);
            }
        }
        if (lines.size() > known().size()) {
            AtomicFile.write(file, String.join("\n", lines) + "\n");
        }
    }

    private Set<String> known() {
        try {
            return new LinkedHashSet<>(Files.isRegularFile(file) ? Files.readAllLines(file) : List.of());
        } catch (IOException e) {
            return new LinkedHashSet<>(); // then nothing is trusted
        }
    }
}
