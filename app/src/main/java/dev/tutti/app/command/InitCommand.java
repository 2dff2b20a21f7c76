package dev.tutti.app.command;

import dev.tutti.DidYouMean;
import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.data.DataException;
import dev.tutti.io.AtomicFile;
import dev.tutti.source.TableAddress;
import dev.tutti.source.profile.ColumnProfile;
import dev.tutti.source.profile.ImageDraft;
import dev.tutti.source.profile.JobDraft;
import dev.tutti.source.profile.TableProfile;
import dev.tutti.train.job.JobFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes a job file for a table. */
@Command(
        name = "init",
        sortOptions = false,
        description = "Looks at a table or a folder of images and writes a job file that learns from it.",
        footer = {"", "The file is complete and commented: change what you like, then ./tutti train it."})
public final class InitCommand extends TuttiCommand {
    @Mixin
    private TableArgument said;

    @Option(names = "--label", paramLabel = "COLUMN", description = "The column to learn.")
    private String label;

    @Option(names = "--output", paramLabel = "FILE", description = "The job file; NAME.yaml by default.")
    private Path output;

    @Option(names = "--force", description = "Replace a file that is there already.")
    private boolean force;

    public InitCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        String path = said.path();
        boolean images = said.isImages();
        TableAddress address = images ? null : said.address();
        String name = images
                ? Path.of(path).toAbsolutePath().normalize().getFileName().toString()
                : address.name();
        Path file = output == null ? Path.of(name + ".yaml") : output;
        if (Files.exists(file) && !force) {
            throw new UsageException(
                    file + " is there already: choose another with --output, or replace it with --force");
        }
        String text = images ? ImageDraft.of(path, name, file.toString()) : table(address, file);
        JobFile.of(text, file.toString(), name);
        AtomicFile.write(file, text);
        people().println("The job is in " + file + ". Next:");
        people().println("  ./tutti train " + file);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("job", file.toString());
        answer.put("source", path);
        if (label != null) {
            answer.put("label", label);
        }
        answer(answer);
        return ExitCode.FINE;
    }

    private String table(TableAddress address, Path file) {
        TableProfile profile = TableProfile.of(address.source(), 0);
        List<String> names = profile.columns().stream().map(ColumnProfile::name).toList();
        if (label == null) {
            throw new UsageException("which column is to be learned? Say it with --label: " + String.join(", ", names));
        }
        if (!names.contains(label)) {
            throw new DataException(said.path() + " has no column '" + label + "'" + DidYouMean.hint(label, names));
        }
        return JobDraft.of(profile, address.yaml(), label, address.name(), file.toString());
    }
}
