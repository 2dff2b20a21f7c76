package dev.tutti.nn;

import dev.tutti.array.NdArray;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.script.ScriptException;
import dev.tutti.tensor.script.ScriptModule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One worker's TorchScript module at work on the model's own memory: its parameters are views of the flat vector, so that
 * gradients arrive there and an optimizer's update is seen at once; its buffers are views of the state.
 *
 * <p>Two kinds of buffer cannot simply be views. Whole numbers, such as a count of batches, are kept as floats in the state and
 * copied over before and after a step. And a module may replace a buffer by a new tensor instead of changing it: then the values
 * are taken over and the view is put back.
 */
final class ScriptBinding implements AutoCloseable {
    private static final long EXACT_IN_FLOAT = 1L << 24;

    private final ScriptModule module;
    private final Map<String, Tensor> views = new LinkedHashMap<>();
    private final Map<String, Tensor> counters = new LinkedHashMap<>();

    ScriptBinding(ScriptModule module, ForwardContext pass) {
        this.module = module;
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            bind(pass);
        } catch (IllegalArgumentException e) {
            module.close();
            throw new ScriptException(
                    "the TorchScript file has changed since the model was built: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            module.close();
            throw e;
        }
    }

    /** The same, but first the values in the module become those of the model. */
    static ScriptBinding withValuesOf(ScriptModule module, ForwardContext pass) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            module.parameters().forEach((name, value) -> pass.parameter(name).copy_(value));
            module.buffers().forEach((name, value) -> {
                if (isState(value)) {
                    pass.buffer(name).copy_(value);
                }
            });
        }
        return new ScriptBinding(module, pass);
    }

    /** Large whole numbers do not survive as floats: such tables stay what they are in the file. */
    static boolean isState(Tensor buffer) {
        if (buffer.type().isFloating()) {
            return true;
        }
        NdArray values = buffer.toArray();
        for (int i = 0; i < values.size(); i++) {
            if (Math.abs(values.longAt(i)) > EXACT_IN_FLOAT) {
                return false;
            }
        }
        return true;
    }

    private void bind(ForwardContext pass) {
        Map<String, Tensor> parameters = new LinkedHashMap<>();
        module.parameters().keySet().forEach(name -> parameters.put(name, pass.parameter(name)));
        Map<String, Tensor> buffers = new LinkedHashMap<>(module.buffers());
        buffers.values().removeIf(buffer -> !isState(buffer));
        buffers.replaceAll((name, old) -> {
            Tensor held = pass.buffer(name);
            (old.type().isFloating() ? views : counters).put(name, held);
            return held;
        });
        List<Tensor> all = new ArrayList<>(parameters.values());
        all.addAll(buffers.values());
        if (!all.isEmpty() && !all.get(0).device().equals(Device.CPU)) {
            module.to(all.get(0).device());
        }
        parameters.forEach(module::put);
        views.forEach(module::put);
    }

    List<Tensor> run(List<Tensor> inputs, ForwardContext pass) {
        module.training(pass.training());
        if (pass.training()) {
            pass.randomness().restartShared();
        }
        if (!counters.isEmpty()) {
            quietly(() -> counters.forEach((name, state) -> module.get(name).copy_(state)));
        }
        List<Tensor> outputs = module.forward(inputs);
        if (pass.training()) {
            quietly(this::takeOver);
        }
        return outputs;
    }

    private void takeOver() {
        counters.forEach((name, state) -> state.copy_(module.get(name)));
        views.forEach((name, view) -> {
            Tensor now = module.get(name);
            if (!now.isSame(view)) {
                view.copy_(now);
                module.put(name, view);
            }
        });
    }

    private static void quietly(Runnable copies) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            copies.run();
        }
    }

    @Override
    public void close() {
        module.close();
    }
}
