package dev.tutti.tensor.script;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * A TorchScript module: a computation with its tensors, written in Python or {@linkplain #define here}, that both run.
 *
 * <p>Its parameters and buffers have the names they have in Python, such as {@code body.0.weight}; a tensor shared by several
 * places is listed once, under the first of its names, and {@link #put} replaces it in all of them. A module belongs to one
 * thread at a time. It lives until it is closed, independent of the scope it was made in.
 */
public final class ScriptModule implements AutoCloseable {
    private final String name;
    private final JitModule module;
    private final ScriptSlots slots;
    private boolean training;

    /** The scope that is open belongs to the caller; what the module keeps, it retains. */
    private ScriptModule(String name, JitModule module) {
        this.name = name;
        this.module = module;
        module.retainReference();
        slots = new ScriptSlots(module);
        training = module.is_training();
    }

    /**
     * Reads a module saved by {@code torch.jit.save}, in evaluation mode. Weights of half precision become float32.
     *
     * @throws ScriptException if there is no such file, or it is something else; it says what
     */
    public static ScriptModule load(Path file) {
        ScriptArchive.check(file);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            ScriptModule script = new ScriptModule(file.toString(), torch.load(file.toString()));
            script.training(false);
            script.parameters().forEach(script::widen);
            script.buffers().forEach(script::widen);
            return script;
        } catch (RuntimeException e) {
            if (e instanceof ScriptException) {
                throw e;
            }
            throw new ScriptException(file + ": the TorchScript file cannot be loaded: " + reason(e), e);
        }
    }

    /**
     * Makes a module from the source of its {@code forward}. A dot in a name is a step into a submodule, so that Python sees
     * {@code dense1.weight} as the weight of {@code dense1}.
     *
     * @param parameters copied; those that require gradients are trainable in Python
     * @param submodules modules that the source calls, by name
     */
    public static ScriptModule define(
            String source,
            Map<String, Tensor> parameters,
            Map<String, Tensor> buffers,
            Map<String, ScriptModule> submodules) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            ScriptTree tree = new ScriptTree();
            submodules.forEach((path, submodule) -> tree.submodule(path, submodule.module()));
            parameters.forEach(tree::parameter);
            buffers.forEach(tree::buffer);
            tree.root().define(source);
            return new ScriptModule("module", tree.root());
        } catch (RuntimeException e) {
            throw new ScriptException("the source cannot be compiled: " + reason(e), e);
        }
    }

    /** The tensors it learns, by their names in Python. They are the module's own, not copies. */
    public Map<String, Tensor> parameters() {
        return read(slots.parameters());
    }

    /** The tensors it keeps but does not learn, by their names in Python. They are the module's own, not copies. */
    public Map<String, Tensor> buffers() {
        return read(slots.buffers());
    }

    private Map<String, Tensor> read(Set<String> names) {
        module();
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        names.forEach(tensor -> tensors.put(tensor, get(tensor)));
        return Collections.unmodifiableMap(tensors);
    }

    /** A parameter or buffer as it is now. */
    public Tensor get(String tensor) {
        module();
        var value = slots.read(tensor);
        if (value == null) {
            throw new ScriptException("the TorchScript module " + name + " has no tensor '" + tensor + "'");
        }
        return new Tensor(value);
    }

    /** Lets the module use another tensor of the same shape for a parameter or buffer. */
    public void put(String tensor, Tensor value) {
        try (Scope scope = Scope.open()) {
            Shape expected = get(tensor).shape();
            if (!expected.equals(value.shape())) {
                throw new ScriptException("the tensor '" + tensor + "' of the TorchScript module " + name
                        + " has shape " + expected + ", received " + value.shape());
            }
            slots.write(tensor, value.handle());
        }
    }

    /** Switches between training and evaluation, in all submodules. */
    public void training(boolean on) {
        if (on != training) {
            call("training", () -> module().train(on));
            training = on;
        }
    }

    public boolean training() {
        return training;
    }

    /** Moves all of it to a device. */
    public void to(Device device) {
        call("to", () -> module().to(NativeConversions.nativeDevice(device)));
    }

    /** Runs {@code forward}. What comes out must be a tensor, or a tuple or list of tensors. */
    public List<Tensor> forward(List<Tensor> inputs) {
        JitModule open = module();
        IValueVector arguments = new IValueVector();
        inputs.forEach(input -> arguments.push_back(new IValue(input.handle())));
        return tensors(call("forward", () -> open.forward(arguments)));
    }

    /** Writes the module as a file that {@link #load} and Python's {@code torch.jit.load} read. */
    public void writeTo(OutputStream out) throws IOException {
        JitModule open = module();
        long bytes = 0;
        try (Scope scope = Scope.open()) {
            for (Tensor tensor : parameters().values()) {
                bytes += tensor.size() * tensor.type().bytes();
            }
        }
        ScriptArchive.transfer(path -> call("save", () -> open.save(path)), bytes, out);
    }

    @Override
    public void close() {
        if (!module.isNull()) {
            slots.close();
            module.releaseReference();
        }
    }

    JitModule module() {
        if (module.isNull()) {
            throw new IllegalStateException("the TorchScript module " + name + " was used after it was closed");
        }
        return module;
    }

    private void widen(String tensor, Tensor value) {
        var type = value.handle().scalar_type().intern();
        if (value.handle().is_floating_point() && type != ScalarType.Float && type != ScalarType.Double) {
            boolean learns = value.handle().requires_grad();
            put(tensor, value.to(DType.FLOAT32).requiresGradient(learns));
        }
    }

    // ---- results

    private List<Tensor> tensors(IValue result) {
        if (result.isTensor()) {
            return List.of(tensor(result));
        }
        List<Tensor> out = new ArrayList<>();
        if (result.isTuple()) {
            var elements = result.toTuple().elements().vec();
            for (long i = 0; i < elements.size(); i++) {
                out.add(tensor(elements.get(i)));
            }
            return out;
        }
        if (result.isTensorList()) {
            var elements = result.toTensorVector();
            for (long i = 0; i < elements.size(); i++) {
                out.add(new Tensor(new org.bytedeco.pytorch.Tensor(elements.get(i))));
            }
            return out;
        }
        throw unusable(result);
    }

    private Tensor tensor(IValue value) {
        if (!value.isTensor()) {
            throw unusable(value);
        }
        return new Tensor(new org.bytedeco.pytorch.Tensor(value.toTensor()));
    }

    private ScriptException unusable(IValue value) {
        return new ScriptException(
                "the TorchScript module " + name + " returned a "
                        + value.tagKind().getString().replace("Generic", "")
                        + ": expected a tensor, or a tuple or list of tensors. Wrap it in Python in a module that returns these");
    }

    // ---- errors

    private void call(String operation, Runnable run) {
        call(operation, () -> {
            run.run();
            return null;
        });
    }

    private <T> T call(String operation, Supplier<T> run) {
        try {
            return run.get();
        } catch (IllegalStateException | ScriptException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new ScriptException(operation + " of the TorchScript module " + name + ": " + reason(e), e);
        }
    }

    /** The engine tells the way through the module's source first and the reason last. */
    private static String reason(RuntimeException e) {
        String text = NativeConversions.firstSentence(e);
        int last = text.lastIndexOf("\nRuntimeError: ");
        return last < 0 ? text : text.substring(last + "\nRuntimeError: ".length());
    }
}
