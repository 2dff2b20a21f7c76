package dev.tutti.tensor.script;

import dev.tutti.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bytedeco.pytorch.BoolType;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.bytedeco.pytorch.SingletonTypePtr;
import org.bytedeco.pytorch.Type;

/** A tree of TorchScript modules that grows with the dotted names put into it. */
final class ScriptTree {
    private final Map<String, JitModule> modules = new LinkedHashMap<>();

    ScriptTree() {
        modules.put("", make("Model"));
    }

    JitModule root() {
        return modules.get("");
    }

    void parameter(String path, Tensor value) {
        boolean learns = value.handle().requires_grad();
        owner(path).register_parameter(last(path), copy(value).requires_grad_(learns), false);
    }

    void buffer(String path, Tensor value) {
        owner(path).register_buffer(last(path), copy(value));
    }

    /** In the order of its shape, for any layout: Python expects this order. */
    private static org.bytedeco.pytorch.Tensor copy(Tensor value) {
        return value.handle().detach().contiguous().clone();
    }

    void submodule(String path, JitModule module) {
        owner(path).register_module(last(path), module);
    }

    private JitModule owner(String path) {
        int dot = path.lastIndexOf('.');
        return dot < 0 ? root() : at(path.substring(0, dot));
    }

    private JitModule at(String path) {
        JitModule known = modules.get(path);
        if (known != null) {
            return known;
        }
        JitModule made = make(last(path));
        submodule(path, made);
        modules.put(path, made);
        return made;
    }

    /** Python's modules all say whether they train, and scripts ask for it. */
    private static JitModule make(String type) {
        JitModule module = new JitModule(new QualifiedName("__torch__." + type));
        module.register_attribute("training", bool(), new IValue(false));
        return module;
    }

    /** Handing BoolType.get() to TypePtr at once compiles too, but reads memory that is not there. */
    private static Type.TypePtr bool() {
        return new Type.TypePtr(new SingletonTypePtr(BoolType.get().get()));
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }
}
