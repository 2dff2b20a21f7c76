package dev.tutti.io;

import dev.tutti.nn.Activation;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.ScriptWriter;
import dev.tutti.nn.TorchScript;
import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.ScriptException;
import dev.tutti.tensor.ScriptModule;
import dev.tutti.tensor.Tensor;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
     * @throws ScriptException if the file cannot be written
     */
    public static void write(Model model, Path file) {
        try (ScriptModule module = module(model)) {
            write(module, file);
        }
    }

    /** Writes a module, whole or not at all: under another name first, then renamed. */
    public static void write(ScriptModule module, Path file) {
        Path target = file.toAbsolutePath().normalize();
        Path unfinished = target.resolveSibling("." + target.getFileName() + ".unfinished");
        try {
            if (Files.isDirectory(target)) {
                throw new FileSystemException(file.toString(), null, "it is a folder");
            }
            Files.createDirectories(target.getParent());
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(unfinished), 1 << 16)) {
                module.writeTo(out);
            }
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            String reason = e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : e.toString();
            throw new ScriptException(file + ": cannot be written: " + reason, e);
        } finally {
            unfinished.toFile().delete(); // there only if something failed, and then the failure is what matters
        }
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
            script.modules().forEach((attribute, imported) -> submodules.put(
                    attribute, imported(imported.layer(), imported.path() + ".", values, learns)));
            Map<String, Tensor> parameters = tensors(script.parameters(), values);
            script.parameters().forEach((name, attribute) -> parameters.get(attribute).requiresGradient(learns.test(name)));
            return ScriptModule.define(script.source(), parameters, tensors(script.buffers(), values), submodules);
        } finally {
            submodules.values().forEach(ScriptModule::close);
        }
    }

    private static ScriptModule imported(
            TorchScript layer, String prefix, Map<String, NdArray> values, Predicate<String> learns) {
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
