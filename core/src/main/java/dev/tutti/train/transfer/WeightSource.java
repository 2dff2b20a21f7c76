package dev.tutti.train.transfer;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.io.FileException;
import dev.tutti.io.TensorFile;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.script.ScriptModule;
import dev.tutti.train.checkpoint.SavedWeights;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Named tensors of a file that another program or an earlier run has written. */
interface WeightSource extends AutoCloseable {
    Set<String> names();

    Shape shape(String name);

    /** Copies some rows of a tensor. */
    void read(String name, int axis, Range rows, Tensor into);

    @Override
    void close();

    /** @throws FileException if there is no such source, or it is of another kind */
    static WeightSource open(Path path) {
        Path folder = Files.isDirectory(path.resolve("model")) && !Files.exists(path.resolve("model.json"))
                ? path.resolve("model")
                : path;
        if (Files.isDirectory(folder)) {
            if (!SavedWeights.areIn(folder)) {
                throw new FileException(
                        path.toString(),
                        "holds no weights.safetensors: expected a saved model or the run that made it");
            }
            return new OfModel(SavedWeights.of(folder));
        }
        return path.toString().endsWith(".safetensors")
                ? new OfFile(TensorFile.open(path))
                : new OfScript(ScriptModule.load(path));
    }

    /** The weights of a saved model. */
    record OfModel(SavedWeights weights) implements WeightSource {
        @Override
        public Set<String> names() {
            return weights.names();
        }

        @Override
        public Shape shape(String name) {
            return weights.shape(name);
        }

        @Override
        public void read(String name, int axis, Range rows, Tensor into) {
            weights.read(new Slice(name, weights.shape(name), axis, rows), into);
        }

        @Override
        public void close() {}
    }

    /** A safetensors file. */
    record OfFile(TensorFile file) implements WeightSource {
        @Override
        public Set<String> names() {
            return file.names();
        }

        @Override
        public Shape shape(String name) {
            return file.shape(name);
        }

        @Override
        public void read(String name, int axis, Range rows, Tensor into) {
            if (file.type(name) == into.type()) {
                file.read(name, axis, rows, into);
            } else {
                into.copy_(file.tensor(name).narrow(axis, rows.from(), rows.length()));
            }
        }

        @Override
        public void close() {}
    }

    /** A TorchScript module; loading it runs no code of it. */
    record OfScript(ScriptModule module, Map<String, Tensor> tensors) implements WeightSource {
        OfScript(ScriptModule module) {
            this(module, new LinkedHashMap<>(module.parameters()));
            tensors.putAll(module.buffers());
        }

        @Override
        public Set<String> names() {
            return tensors.keySet();
        }

        @Override
        public Shape shape(String name) {
            return tensors.get(name).shape();
        }

        @Override
        public void read(String name, int axis, Range rows, Tensor into) {
            Tensor all = tensors.get(name);
            into.copy_(all.rank() == 0 ? all : all.narrow(axis, rows.from(), rows.length()));
        }

        @Override
        public void close() {
            module.close();
        }
    }
}
