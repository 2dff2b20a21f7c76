package dev.tutti.app.command;

import dev.tutti.DidYouMean;
import dev.tutti.FileKind;
import dev.tutti.json.ConfigException;
import dev.tutti.train.job.JobFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds the job that is named on the command line; where there is none it says what there is. */
public final class JobArgument {
    private JobArgument() {}

    /** The job that a user means: a file, or one that comes with Tutti. */
    public static JobFile find(String name) {
        Path path = Path.of(name);
        if (Files.isRegularFile(path)) {
            return JobFile.read(path);
        }
        if (JobFile.builtIn().contains(name)) {
            return JobFile.builtIn(name);
        }
        FileKind.problem(path).ifPresent(problem -> {
            throw new ConfigException(name + ": " + problem + " with a job, or " + builtIn());
        });
        List<String> near = jobsBeside(path);
        List<String> known = new ArrayList<>(near);
        known.addAll(JobFile.builtIn());
        String message = name + ": there is no such file"
                + DidYouMean.nearest(name, known)
                        .map(nearest -> ": did you mean " + nearest + "?")
                        .orElse(". Job files here: " + (near.isEmpty() ? "none" : String.join(", ", near))
                                + "; built in: " + builtIn());
        throw new ConfigException(message, new NoSuchFileException(name));
    }

    private static String builtIn() {
        return String.join(", ", JobFile.builtIn());
    }

    private static List<String> jobsBeside(Path missing) {
        Path folder = missing.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            return List.of();
        }
        Path said = missing.getParent();
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.matches(".*\\.(yaml|yml)"))
                    .sorted()
                    .limit(8)
                    .map(file -> said == null ? file : said.resolve(file).toString())
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
