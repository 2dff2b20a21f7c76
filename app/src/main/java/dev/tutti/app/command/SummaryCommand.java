package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.nn.Model;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import dev.tutti.train.job.RunFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the layers of a model. */
@Command(
        name = "summary",
        sortOptions = false,
        description = "Shows the layers of a model, what comes out of each and how many parameters it has.")
public final class SummaryCommand extends TuttiCommand {
    @Parameters(paramLabel = "WHAT", description = "A job file, mnist, a saved model, or the folder of a run.")
    private String what;

    @Option(
            names = "--trust",
            order = 92,
            description = "Let TorchScript files run that Tutti has not written: they are programs. Remembered.")
    private boolean trust;

    public SummaryCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if (Files.isDirectory(Path.of(what))) {
            ScriptTrust.ofUser().require(SavedModel.scripts(RunFolder.modelAt(Path.of(what))), trust);
            try (SavedModel saved = SavedModel.load(RunFolder.modelAt(Path.of(what)))) {
                show(saved.model());
                people().println("made " + saved.made().at() + " from "
                        + saved.made().data() + ", "
                        + counted(saved.made().epochs(), "epoch")
                        + (saved.metrics() == null ? "" : "; " + saved.metrics()));
            }
        } else {
            JobFile job = JobArgument.find(what);
            if (job.job().model() != null) {
                ScriptTrust.ofUser().require(job.job().model().scripts(), trust);
            }
            try (ReadyJob ready = ReadyJob.check(job)) {
                show(ready.model());
            }
        }
        return ExitCode.FINE;
    }

    private void show(Model model) {
        people().print(model.summary());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("parameters", model.vector().size());
        answer.put("inputs", model.inputs());
        answer.put("outputs", model.outputs());
        Map<String, Object> shapes = new LinkedHashMap<>();
        model.parameters().forEach(parameter -> shapes.put(parameter.name(), parameter.shape()));
        answer.put("shapes", shapes);
        answer.put("definition", model.definition());
        answer(answer);
    }
}
