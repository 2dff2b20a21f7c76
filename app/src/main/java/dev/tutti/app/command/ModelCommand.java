package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.UsageException;
import dev.tutti.data.Dataset;
import dev.tutti.jobs.predict.CutModelProcesses;
import dev.tutti.json.Json;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.nn.Model;
import dev.tutti.source.Sources;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.train.Predictor;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.job.NamedDataset;
import dev.tutti.train.job.RunFolder;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What commands share that work with a saved model. */
public abstract class ModelCommand extends TuttiCommand {
    private static final Logger LOG = LoggerFactory.getLogger(ModelCommand.class);

    @Parameters(
            index = "0",
            paramLabel = "MODEL",
            description = "A saved model, or the folder of the run that made it.")
    private Path path;

    @Option(
            names = "--device",
            order = 90,
            paramLabel = "NAME",
            defaultValue = "auto",
            description = "auto, cpu, cuda or cuda:1.")
    private String device;

    @Option(
            names = "--cores",
            order = 91,
            paramLabel = "N",
            description = "Cores that one operation may use; all of them by default.")
    private Integer cores;

    @Option(
            names = "--precision",
            order = 91,
            paramLabel = "FORMAT",
            defaultValue = "float32",
            description = "What products are computed in: float32 (default), bf16, or fp16 for graphics cards.")
    private String precision;

    @Option(names = "--threads", hidden = true)
    private Integer threads;

    @Option(
            names = "--trust",
            order = 92,
            description = "Let TorchScript files run that Tutti has not written: they are programs. Remembered.")
    private boolean trust;

    @Option(
            names = "--strategy",
            order = 93,
            paramLabel = "GRID",
            description =
                    "Cut the model among processes, such as '{type: parallel, pipeline: 2}': none holds all of it.")
    private String strategy;

    protected ModelCommand(Console console) {
        super(console);
    }

    /** The path as the user said it. */
    protected final Path path() {
        return path;
    }

    /** Requires that code which the model brings may run. */
    protected final void trusted() {
        ScriptTrust.ofUser().require(SavedModel.scripts(RunFolder.modelAt(path)), trust);
    }

    final SavedModel load() {
        trusted();
        return SavedModel.load(
                RunFolder.modelAt(path),
                Model.Options.DEFAULT
                        .device(Device.named(device))
                        .precision(precision())
                        .forInference());
    }

    /** What the model multiplies in. */
    final ComputePrecision precision() {
        return ComputePrecision.named(precision);
    }

    /** How the model is cut among processes, if it is. */
    final Optional<Parallel> cut() {
        return cut(strategy);
    }

    /** A strategy that cuts models, as options write it. */
    static Optional<Parallel> cut(String text) {
        if (text == null) {
            return Optional.empty();
        }
        Strategy choice = Json.readYaml(text, Strategy.class, "--strategy " + text);
        if (!(choice instanceof Parallel grid) || grid.grid(1).members() == 1) {
            throw new UsageException("--strategy " + text
                    + ": expected one that cuts the model, such as '{type: parallel," + " pipeline: 2}'");
        }
        return Optional.of(grid);
    }

    /** The model in several processes. */
    final CutModelProcesses processes(Parallel grid) {
        if (!precision().equals(ComputePrecision.FLOAT32)) {
            throw new UsageException("--precision " + precision
                    + ": a model that --strategy cuts computes in float32: leave out one of them");
        }
        trusted();
        return CutModelProcesses.start(RunFolder.modelAt(path), grid);
    }

    final Predictor predictor(SavedModel model) {
        if (threads != null) {
            LOG.warn("--threads is called --cores now; the former name works in this version only");
            cores = cores == null ? threads : cores;
        }
        if (cores != null && cores < 1) {
            throw new UsageException("--cores " + cores + ": expected 1 or more");
        }
        return model.predictor().cores(cores == null ? Engine.cores() : cores);
    }

    /** The run that made the model, if the model still lies in its folder. */
    protected final RunFolder madeBy() {
        return RunFolder.of(RunFolder.modelAt(path));
    }

    protected static Dataset dataset(String name) {
        return Sources.isTable(name)
                ? Dataset.of(Sources.table(name))
                : NamedDataset.read(name, NamedDataset.Part.TEST);
    }
}
