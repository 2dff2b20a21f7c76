package dev.tutti.tune.run;

import dev.tutti.io.FileException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a search leaves behind: {@code trials.jsonl} (the journal), {@code trials/trial-3} (the run of each trial), {@code best} (the
 * run folder of the best one), {@code best.yaml} (its job), {@code trials.svg} (the picture) and {@code result.json}.
 */
public record TuneFolder(Path path) {
    public Path journal() {
        return path.resolve("trials.jsonl");
    }

    /** The folder that the run of a trial writes to. */
    public Path trial(String name) {
        return path.resolve("trials").resolve(name);
    }

    public Path best() {
        return path.resolve("best");
    }

    public Path bestJob() {
        return path.resolve("best.yaml");
    }

    public Path picture() {
        return path.resolve("trials.svg");
    }

    public Path result() {
        return path.resolve("result.json");
    }

    /** Makes room for another search: what an earlier one has left is kept beside it. */
    void setAside() {
        if (!Files.exists(journal())) {
            return;
        }
        int number = 1;
        while (Files.exists(earlier(number))) {
            number++;
        }
        try {
            Files.move(path, earlier(number));
        } catch (IOException e) {
            throw new FileException(path.toString(), "an earlier search cannot be moved: " + e.getMessage(), e);
        }
    }

    private Path earlier(int number) {
        return path.resolveSibling(path.getFileName() + "-earlier-" + number);
    }

    /** Replaces a folder by a copy of another one. */
    static void copy(Path from, Path to) {
        try {
            delete(to);
            List<Path> all;
            try (Stream<Path> walk = Files.walk(from)) {
                all = walk.toList();
            }
            for (Path each : all) {
                Path target = to.resolve(from.relativize(each).toString());
                if (Files.isDirectory(each)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(each, target);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw new FileException(to.toString(), "cannot be copied from " + from + ": " + e.getMessage(), e);
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> walk = Files.walk(folder)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }
}
