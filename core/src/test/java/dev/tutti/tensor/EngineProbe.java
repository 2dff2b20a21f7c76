package dev.tutti.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.BoolType;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;

/** What tests of other packages need to see of the engine, whose classes only this package may use. */
public final class EngineProbe {
    private EngineProbe() {}

    /** Objects of the engine that this JVM holds on to. */
    public static long liveObjects() {
        return Pointer.totalCount();
    }

    /** Compiles the source of a {@code forward} in TorchScript and runs it in evaluation mode. */
    public static List<NdArray> runScript(String source, Map<String, Tensor> attributes, List<Tensor> inputs) {
        Engine.load();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            JitModule module = new JitModule(new QualifiedName("m"));
            module.register_attribute("training", BoolType.get(), new IValue(false));
            attributes.forEach((name, tensor) -> module.register_buffer(name, tensor.handle()));
            module.define(source);
            IValueVector arguments = new IValueVector();
            inputs.forEach(input -> arguments.push_back(new IValue(input.handle())));
            IValue out = module.forward(arguments);
            List<NdArray> arrays = new ArrayList<>();
            if (out.isTensor()) {
                arrays.add(new Tensor(out.toTensor()).toArray());
            } else {
                var elements = out.toTuple().elements();
                for (long i = 0; i < elements.size(); i++) {
                    arrays.add(new Tensor(elements.at(i).toTensor()).toArray());
                }
            }
            return arrays;
        }
    }
}
