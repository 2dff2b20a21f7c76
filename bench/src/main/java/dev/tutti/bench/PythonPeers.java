package dev.tutti.bench;

import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.process.ProcessCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The Python peers in the settings they race in. */
final class PythonPeers {
    private final Path python;

    PythonPeers(Path python) {
        this.python = python;
    }

    /** PyTorch's script, written the way its tutorials do. */
    Entrant torch(Entrant.Style style, Cores cores) {
        return engine("PyTorch as users write it", "engine_torch.py", style, cores);
    }

    /** The same with what PyTorch's tuning guide advises. */
    Entrant torchTuned(Entrant.Style style, Cores cores) {
        return engine("PyTorch tuned", "engine_torch.py", style, cores, "--tuned");
    }

    /** PyTorch's script with products in bf16, as its guide to mixed precision has it. */
    Entrant torchAutocast(Entrant.Style style, Cores cores) {
        return engine("PyTorch with autocast in bf16", "engine_torch.py", style, cores, "--autocast");
    }

    /** Keras, written the way its guides do. */
    Entrant tensorflow(Entrant.Style style, Cores cores) {
        return engine("TensorFlow as users write it", "engine_tensorflow.py", style, cores);
    }

    /** The same work in one tf.function, as TensorFlow's guide advises. */
    Entrant tensorflowTuned(Entrant.Style style, Cores cores) {
        return engine("TensorFlow tuned", "engine_tensorflow.py", style, cores, "--tuned");
    }

    /** Two processes of PyTorch that work together over Gloo: DistributedDataParallel, or a sum alone. */
    Entrant torchPair(Entrant.Style style) {
        ProcessCommand command = ProcessCommand.python(python, "bench/peers/allreduce_torch.py");
        return new Entrant("PyTorch as users write it, 2 processes with Gloo", command, style);
    }

    /** TensorFlow's ParameterServerStrategy: one server, two workers, and the script itself as their coordinator. */
    Entrant parameterServer(Entrant.Style style) {
        ProcessCommand command = ProcessCommand.python(python, "bench/peers/ps_tensorflow.py");
        return new Entrant("TensorFlow's ParameterServerStrategy", command, style);
    }

    /** The path of the Python that has the peers. */
    String interpreter() {
        return python.toString();
    }

    /** Two processes of PyTorch that hold parts of one model: stages, or slices. */
    Entrant torchParts(String name, String way, Entrant.Style style) {
        return new Entrant(name, ProcessCommand.python(python, "bench/peers/parallel_torch.py", "--way", way), style);
    }

    /** A script that reads files into batches. */
    Entrant data(String name, String script, Entrant.Style style) {
        return new Entrant(name, ProcessCommand.python(python, "bench/peers/" + script), style);
    }

    /** A script that is run from start to end. */
    Entrant command(String name, String script, String... arguments) {
        return new Entrant(
                name, ProcessCommand.python(python, "bench/peers/" + script, arguments), new Entrant.WholeCommand());
    }

    private Entrant engine(String name, String script, Entrant.Style style, Cores cores, String... setting) {
        List<String> arguments = new ArrayList<>(List.of("--threads", Integer.toString(cores.threads())));
        arguments.addAll(List.of(setting));
        return new Entrant(
                name, ProcessCommand.python(python, "bench/peers/" + script, arguments.toArray(String[]::new)), style);
    }
}
