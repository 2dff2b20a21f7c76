package dev.tutti.source.table;

import dev.tutti.data.DataException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Files that were named one by one, by a folder or by a pattern such as {@code data/*.csv}; sorted, so that all members agree. */
public final class FileSet {
    private static final String PATTERN = ".*[*?\\[{].*";

    private final List<Path> files;

    private FileSet(List<Path> files) {
        this.files = List.copyOf(files);
    }

    /**
     * Finds the files.
     *
     * @param names files, folders and patterns
     * @param endings what names of files in a folder end in, such as {@code .csv}; packed files have {@code .gz} behind it
     * @throws DataException if a name matches no file
     */
    public static FileSet of(List<String> names, List<String> endings) {
        if (names.isEmpty()) {
            throw new DataException("the source names no 'files'");
        }
        List<Path> found = new ArrayList<>();
        for (String name : names) {
            found.addAll(name.matches(PATTERN) ? matching(name) : plain(Path.of(name), endings));
        }
        return new FileSet(found);
    }

    private static List<Path> plain(Path path, List<String> endings) {
        if (Files.isRegularFile(path)) {
            if (!Files.isReadable(path)) {
                throw new DataException(path + ": cannot be read: permission denied");
            }
            return List.of(path);
        }
        if (!Files.isDirectory(path)) {
            throw new DataException(path + ": there is no such file");
        }
        List<Path> inside =
                walk(path).filter(file -> ends(file, endings)).sorted().toList();
        if (inside.isEmpty()) {
            throw new DataException(path + ": the folder holds no file that ends in " + String.join(", ", endings));
        }
        return inside;
    }

    private static boolean ends(Path file, List<String> endings) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT).replaceFirst("\\.(gz|zst)$", "");
        return endings.stream().anyMatch(name::endsWith);
    }

    private static List<Path> matching(String pattern) {
        int slash = pattern.substring(0, pattern.replaceFirst("[*?\\[{].*", "").length())
                .lastIndexOf('/');
        Path base = Path.of(slash < 0 ? "" : pattern.substring(0, slash + 1));
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
        List<Path> found = Files.isDirectory(base.toAbsolutePath())
                ? walk(base).filter(matcher::matches).sorted().toList()
                : List.of();
        if (found.isEmpty()) {
            throw new DataException(pattern + ": no file matches this pattern");
        }
        return found;
    }

    private static Stream<Path> walk(Path folder) {
        try (Stream<Path> files = Files.walk(folder, 16)) {
            return files.filter(Files::isRegularFile).toList().stream();
        } catch (IOException e) {
            throw new DataException(folder + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    public List<Path> files() {
        return files;
    }

    /** Names, sizes and times of change: what differs when a file was changed. */
    public String state() {
        StringBuilder state = new StringBuilder();
        for (Path file : files) {
            state.append(describe(file)).append('\n');
        }
        return state.toString();
    }

    private static String describe(Path file) {
        try {
            return file.toAbsolutePath().normalize() + " " + Files.size(file) + " bytes, changed at "
                    + Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw new DataException(file + ": has vanished, or can no longer be read (" + e + ")", e);
        }
    }

    /**
     * Refuses files that were changed since {@link #state} was asked before.
     *
     * @throws DataException if a file has vanished, grown or been written to meanwhile
     */
    public void requireUnchanged(String before) {
        String now = state();
        if (!now.equals(before)) {
            String[] lines = now.split("\n");
            String[] earlier = before.split("\n");
            for (int i = 0; i < lines.length; i++) {
                if (!lines[i].equals(earlier[i])) {
                    throw new DataException(files.get(i) + ": was changed while it was being read: before "
                            + earlier[i].substring(earlier[i].lastIndexOf(' ', earlier[i].indexOf(" bytes") - 1) + 1)
                            + ", now "
                            + lines[i].substring(lines[i].lastIndexOf(' ', lines[i].indexOf(" bytes") - 1) + 1)
                            + ". Start again when it is complete.");
                }
            }
        }
    }

    @Override
    public String toString() {
        return files.size() == 1 ? files.get(0).toString() : files.size() + " files from " + files.get(0);
    }
}
