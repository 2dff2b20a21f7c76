package dev.tutti.app.command.transfer;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.NextCommand;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.loss.Losses;
import dev.tutti.nn.Model;
import dev.tutti.optim.Optimizers;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.transfer.huggingface.ForeignModel;
import dev.tutti.transfer.onnx.OnnxImport;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a saved model of one from elsewhere. */
@Command(
        name = "import",
        sortOptions = false,
        description = "Makes an ordinary model of one from elsewhere: a folder of Hugging Face's layout (BERT, MiniLM,"
                + " DistilBERT, GPT-2, Llama), a ResNet of torchvision as safetensors, or an ONNX file.")
public final class ImportCommand extends TuttiCommand {
    @Parameters(paramLabel = "SOURCE", description = "The folder or the file.")
    private Path source;

    @Option(names = "--output", paramLabel = "FOLDER", required = true, description = "Where the saved model goes.")
    private Path output;

    public ImportCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("source", source.toString());
        answer.put("output", output.toString());
        if (source.toString().endsWith(".onnx")) {
            try (Model model = OnnxImport.read(source)) {
                TrainingConfig recipe = TrainingConfig.of(Optimizers.adam(1e-4), Losses.softmaxCrossEntropy());
                SavedModel.write(
                        output,
                        model,
                        new SavedModel.Features(List.of(), List.of()),
                        null,
                        SavedModel.Made.now("imported from " + source.getFileName(), 0, recipe));
                answer.put("parameters", model.vector().size());
            }
        } else {
            try (ForeignModel foreign = ForeignModel.read(source)) {
                foreign.save(output);
                answer.put("parameters", foreign.model().vector().size());
                answer.put("left", foreign.left());
                if (!foreign.left().isEmpty()) {
                    people().println("Kept beside the model, since it does not compute with them: "
                            + String.join(", ", foreign.left()));
                }
            }
        }
        people().printf(
                        Locale.ROOT,
                        "%s is a saved model with %s parameters; next, for instance:%n",
                        output,
                        answer.get("parameters"));
        people().println("  " + NextCommand.of("summary", output.toString()));
        answer(answer);
        return ExitCode.FINE;
    }
}
