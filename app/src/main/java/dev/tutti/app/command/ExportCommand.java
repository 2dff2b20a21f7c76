package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes a model for other programs. */
@Command(
        name = "export",
        sortOptions = false,
        description =
                "Writes a model for other programs: TorchScript for torch.jit.load, or the weights as safetensors.")
public final class ExportCommand extends ModelCommand {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "torchscript or safetensors; by default what the name of the file says.")
    private String format;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            required = true,
            description = "Such as digits.pt or digits.safetensors.")
    private Path output;

    public ExportCommand(Console console) {
        super(console);
    }

    @Override
    ExitCode run() {
        ExportFormat chosen = ExportFormat.of(format, output);
        try (SavedModel saved = load()) {
            chosen.write(saved.model(), output);
        }
        if (chosen == ExportFormat.TORCHSCRIPT) {
            ScriptTrust.ofUser().add(List.of(output));
        }
        people().println(output + " is written. In Python:");
        people().println("  " + chosen.python(output));
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("model", path().toString());
        answer.put("format", chosen.toString());
        answer.put("output", output.toString());
        answer(answer);
        return ExitCode.FINE;
    }
}
