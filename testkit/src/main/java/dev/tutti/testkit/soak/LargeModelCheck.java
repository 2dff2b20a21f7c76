package dev.tutti.testkit.soak;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;

import dev.tutti.cluster.Cluster;
import dev.tutti.data.Mnist;
import dev.tutti.io.AtomicFile;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Strategies;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Trains a model whose parameters do not fit into the heaps of its members, kills all of them after a checkpoint, and resumes: the
 * parameters must be those of a run that was never cut, bit for bit, and those of the saved model that is loaded again.
 *
 * <p>Usage: {@code LargeModelCheck FOLDER GIGABYTES}, in a JVM with the heap that every member shall have. It takes minutes, four times
 * the parameters in memory and twice on disk, so it is no part of the tests.
 */
public final class LargeModelCheck {
    private static final int STEPS = 4;
    private static final int CUT = 2;
    private static final int ROWS = 2;
    private static final int CLASSES = 10;
    private static final Duration LIMIT = Duration.ofMinutes(20);

    /** To draw the first values of so many parameters, and to write them to disk, takes minutes. */
    private static final Duration PATIENCE = Duration.ofMinutes(8);

    private LargeModelCheck() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Path folder = Path.of(args[0]);
        long width = Math.round(Math.sqrt(Double.parseDouble(args[1]) * 1e9 / Float.BYTES));
        if (args.length > 2) {
            train(folder, width, args[2]);
            return;
        }
        Path whole = folder.resolve("whole");
        Path cut = folder.resolve("cut");
        say("uninterrupted", started(whole, args[1], "save"));
        Process killed = start(cut, args[1], "begin");
        awaitCheckpoint(cut, killed);
        List<ProcessHandle> members = killed.descendants().toList();
        killed.destroyForcibly().waitFor();
        members.forEach(ProcessHandle::destroyForcibly); // the driver is a member itself
        say("killed with " + members.size() + " other member(s)", 0);
        say("resumed", started(cut, args[1], "resume"));
        String expected = Files.readString(whole.resolve("fingerprint"));
        String received = Files.readString(cut.resolve("fingerprint"));
        if (!expected.equals(received)) {
            throw new IllegalStateException("expected the parameters " + expected + ", received " + received);
        }
        say("the same parameters: " + received, 0);
    }

    private static void say(String what, double seconds) {
        System.err.printf(Locale.ROOT, "large model: %s%s%n", what, seconds == 0 ? "" : " in " + (int) seconds + " s");
    }

    /** Runs one training to its end; says how many seconds it took. */
    private static double started(Path folder, String gigabytes, String way) throws IOException, InterruptedException {
        long began = System.nanoTime();
        Process process = start(folder, gigabytes, way);
        if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IllegalStateException("the run '" + way + "' did not end in good order");
        }
        return (System.nanoTime() - began) / 1e9;
    }

    private static Process start(Path folder, String gigabytes, String way) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                LargeModelCheck.class.getName(),
                folder.toString(),
                gigabytes,
                way));
        return new ProcessBuilder(command).inheritIO().start();
    }

    private static void awaitCheckpoint(Path folder, Process training) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (new CheckpointFolder(folder.resolve("checkpoints")).files().isEmpty()) {
            if (System.nanoTime() > end || !training.isAlive()) {
                training.destroyForcibly();
                throw new IllegalStateException("there was no checkpoint to cut the run behind");
            }
            Thread.sleep(100);
        }
    }

    private static void train(Path folder, long width, String way) {
        Path checkpoints = folder.resolve("checkpoints");
        Fit fit = epochs(1)
                .on(Cluster.processes(2).min(2).deadline(PATIENCE).tooFewFor(PATIENCE))
                .with(Strategies.allReduce().evenShares().overlap(true))
                .callbacks(new Progress());
        if (!way.equals("save")) {
            fit = fit.callbacks(checkpoint(checkpoints).everySteps(CUT).keep(1)).resume(checkpoints);
        }
        int wide = Math.toIntExact(width);
        Sequential layers =
                Sequential.of(flatten(), dense(wide).tanh(), dense(wide).tanh(), dense(CLASSES));
        try (Trainer trainer =
                Trainer.of(layers, sgd(0.01), softmaxCrossEntropy()).cores(1)) {
            trainer.fit(Mnist.train().take((long) ROWS * STEPS).batch(ROWS), fit);
            AtomicFile.write(folder.resolve("fingerprint"), fingerprint(trainer.model()));
            if (way.equals("resume")) {
                trainer.save(folder.resolve("model"));
            }
        }
        if (way.equals("resume")) {
            checkSaved(folder);
        }
    }

    private static void checkSaved(Path folder) {
        try (SavedModel saved = SavedModel.load(folder.resolve("model"), Model.Options.DEFAULT.forInference())) {
            String loaded = fingerprint(saved.model());
            if (!loaded.equals(Files.readString(folder.resolve("fingerprint")))) {
                throw new IllegalStateException("the saved model has the parameters " + loaded);
            }
        } catch (IOException e) {
            throw new IllegalStateException("the fingerprint cannot be read", e);
        }
    }

    /** Sums that differ when a bit of a parameter does, all but surely. */
    private static String fingerprint(Model model) {
        try (Scope scope = Scope.open()) {
            Tensor values = model.vector().values();
            long half = values.size() / 2;
            return values.size() + " " + values.sum().item() + " "
                    + values.narrow(0, 0, half).sum().item() + " "
                    + values.narrow(0, half, 1).item() + " "
                    + values.abs().sum().item();
        }
    }

    /** Says how far the run is. */
    private static final class Progress implements Callback {
        @Override
        public void step(Run run) {
            say(
                    "step " + run.step() + ", loss " + run.lastLoss() + ", heap of the chief at most "
                            + Runtime.getRuntime().maxMemory() / 1_000_000 + " MB",
                    0);
        }
    }
}
