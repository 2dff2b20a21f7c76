package dev.tutti.app.command;

import dev.tutti.DidYouMean;
import dev.tutti.app.UsageException;
import dev.tutti.io.TorchScriptFile;
import dev.tutti.nn.Model;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.transfer.Lora;
import dev.tutti.transfer.onnx.OnnxExport;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The formats that other programs read. */
enum ExportFormat {
    TORCHSCRIPT(".pt") {
        @Override
        void write(Model model, Path file) {
            TorchScriptFile.write(model, file);
        }

        @Override
        String python(Path file) {
            return "model = torch.jit.load('" + file + "')";
        }
    },
    SAFETENSORS(".safetensors") {
        @Override
        void write(Model model, Path file) {
            SavedModel.writeWeights(model, file);
        }

        @Override
        String python(Path file) {
            return "weights = safetensors.torch.load_file('" + file + "')";
        }
    },
    ONNX(".onnx") {
        @Override
        void write(Model model, Path file) {
            if (Lora.hasAdapters(model)) {
                try (Model merged = Lora.merge(model)) {
                    OnnxExport.write(merged, file);
                }
            } else {
                OnnxExport.write(model, file);
            }
        }

        @Override
        String python(Path file) {
            return "session = onnxruntime.InferenceSession('" + file + "')";
        }
    };

    private final String suffix;

    ExportFormat(String suffix) {
        this.suffix = suffix;
    }

    abstract void write(Model model, Path file);

    /** How Python reads it. */
    abstract String python(Path file);

    /** The format of that name or, without one, the format that the file is named for. */
    static ExportFormat of(String name, Path file) {
        List<String> known = Arrays.stream(values()).map(ExportFormat::toString).toList();
        if (name != null) {
            return Arrays.stream(values())
                    .filter(format -> format.toString().equalsIgnoreCase(name))
                    .findFirst()
                    .orElseThrow(() -> new UsageException(
                            "--format " + name + ": there is no such format" + DidYouMean.hint(name, known)));
        }
        return Arrays.stream(values())
                .filter(format -> file.toString().endsWith(format.suffix))
                .findFirst()
                .orElseThrow(() -> new UsageException("--output " + file
                        + ": its name does not say the format; say --format " + String.join(" or ", known)));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
