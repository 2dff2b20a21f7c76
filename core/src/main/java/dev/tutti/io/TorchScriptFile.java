package dev.tutti.io;

import dev.tutti.array.NdArray;
import dev.tutti.nn.Activation;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.ScriptWriter;
import dev.tutti.nn.TorchScript;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.script.ScriptModule;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Models as TorchScript files, for Python and every other program that has libtorch.
 *
 * <p>{@code torch.jit.load} needs nothing of Tutti to run them. They are in evaluation mode; {@code train()} switches dropout
 * and batch norm to training. Parameters have the names they have here, and those that are frozen do not require gradients.
 */
public final class TorchScriptFile {
    private TorchScriptFile() {}

    /**
     * Writes a model, whole or not at all.
     *
     * @throws dev.tutti.nn.UnsupportedLayerException if a layer does not say how it looks in TorchScript
     * @throws FileException if the file cannot be written
     */
    public static void write(Model model, Path file) {
        try (ScriptModule module = module(model)) {
            write(module, file);
        }
    }

    /** Writes a module, whole or not at all. */
    public static void write(ScriptModule module, Path file) {
        AtomicFile.write(file, module::writeTo);
    }

    /** The model as a module of its own, with copies of the values. */
    public static ScriptModule module(Model model) {
        Map<String, NdArray> values = model.arrays();
        Map<String, Parameter> known = new LinkedHashMap<>();
        model.parameters().forEach(p -> known.put(p.name(), p));
        Predicate<String> learns = name -> !model.isFrozen(known.get(name));
        if (model.definition() instanceof TorchScript layer && layer.activation() == Activation.NONE) {
            return imported(layer, "", values, learns);
        }
        ScriptWriter script = model.script();
        Map<String, ScriptModule> submodules = new LinkedHashMap<>();
        try (Scope scope = Scope.open()) {
            script.modules()
                    .forEach((attribute, imported) ->
                            submodules.put(attribute, imported(imported.layer(), imported.path(), values, learns)));
            Map<String, Tensor> parameters = tensors(script.parameters(), values);
            script.parameters()
                    .forEach((name, attribute) -> parameters.get(attribute).requiresGradient(learns.test(name)));
            return ScriptModule.define(script.source(), parameters, tensors(script.buffers(), values), submodules);
        } finally {
            submodules.values().forEach(ScriptModule::close);
        }
    }

    private static ScriptModule imported(
            TorchScript layer, String path, Map<String, NdArray> values, Predicate<String> learns) {
        String prefix = path.isEmpty() ? "" : path + ".";
        ScriptModule module = layer.module(name -> values.get(prefix + name));
        try (Scope scope = Scope.open()) {
            module.parameters().forEach((name, tensor) -> tensor.requiresGradient(learns.test(prefix + name)));
        }
        return module;
    }

    private static Map<String, Tensor> tensors(Map<String, String> attributes, Map<String, NdArray> values) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        attributes.forEach((name, attribute) -> tensors.put(attribute, Tensor.of(values.get(name))));
        return tensors;
    }
}
