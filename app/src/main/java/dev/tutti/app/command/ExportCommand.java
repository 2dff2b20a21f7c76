package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.nn.Model;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.job.RunFolder;
import dev.tutti.train.transfer.Lora;
import dev.tutti.train.transfer.TransferGraph;
import dev.tutti.transfer.huggingface.ForeignModel;
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
                "Writes a model for other programs: TorchScript for torch.jit.load, ONNX, the weights as safetensors,"
                        + " or for a model that was imported Hugging Face's layout.")
public final class ExportCommand extends ModelCommand {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "torchscript, onnx, safetensors or huggingface; by default what the name of the file says.")
    private String format;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            required = true,
            description = "Such as digits.pt, digits.onnx or digits.safetensors; a folder for huggingface.")
    private Path output;

    @Option(
            names = "--imported",
            paramLabel = "MODEL",
            description = "With huggingface: the imported model that this one stands on; the model itself by default.")
    private Path imported;

    public ExportCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if ("huggingface".equalsIgnoreCase(format)) {
            return writeBack();
        }
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

    /** The encoder of a fine-tuned model stands under a name of its own. */
    private ExitCode writeBack() {
        try (SavedModel saved = load();
                Model plain = Lora.hasAdapters(saved.model()) ? Lora.merge(saved.model()) : null) {
            Model model = plain == null ? saved.model() : plain;
            boolean whole = imported == null;
            Path origin = RunFolder.modelAt(whole ? path() : imported);
            ForeignModel.writeBack(model, origin, whole ? "" : TransferGraph.BASE + ".", output);
        }
        people().println(output + " is written. In Python:");
        people().println("  model = transformers.AutoModel.from_pretrained('" + output + "')");
        answer(Map.of("model", path().toString(), "format", "huggingface", "output", output.toString()));
        return ExitCode.FINE;
    }
}
