package dev.tutti.nn;

import dev.tutti.Experimental;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.script.ScriptModule;
import dev.tutti.tensor.vector.ParameterLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A model written in Python, saved with {@code torch.jit.save}, as a layer that is trained here like any other.
 *
 * <p><b>A TorchScript file is a program</b>: its code runs when it is loaded and used, with the rights of this process. Load only
 * files from sources that you trust; {@code ./tutti} asks for {@code --trust}.
 *
 * <p>Its parameters have the names they have in Python, behind the layer's own: {@code torchScript1.body.0.weight}; they begin
 * with the values in the file. The batch must be the first axis of everything that goes in and comes out. Several inputs and
 * outputs are allowed where the model around it allows them.
 *
 * <p>Random numbers inside the module, such as dropout's, come from the engine's shared stream: a run on one thread can be
 * repeated exactly, one on several threads of a JVM cannot.
 */
@Experimental
public final class TorchScript extends MultiOutput<TorchScript> {
    private String file;
    private boolean channelsLast;

    private TorchScript() {}

    TorchScript(Path file) {
        this.file = file.toString();
    }

    /** The file the module is read from; a relative one is looked for in the working directory. */
    public Path file() {
        return Path.of(file);
    }

    /** The same layer with its module in another file, for instance where a saved model was moved to. */
    public TorchScript withFile(Path newFile) {
        return copy(c -> c.file = newFile.toString());
    }

    /**
     * Lays out the weights of convolutions with the channels innermost, which is faster. Not every module allows it: one that
     * calls {@code weight.view(...)} does not.
     */
    public TorchScript channelsLast() {
        return copy(c -> c.channelsLast = true);
    }

    /** The module with other values than those in its file; they are asked for by the names they have in Python. */
    public ScriptModule module(Function<String, NdArray> values) {
        ScriptModule module = ScriptModule.load(file());
        try (Scope scope = Scope.open()) {
            module.parameters().keySet().forEach(name -> module.put(name, Tensor.of(values.apply(name))));
            module.buffers().forEach((name, old) -> {
                if (ScriptBinding.isState(old)) {
                    NdArray value = values.apply(name);
                    module.put(name, Tensor.of(old.type().isFloating() ? value : value.to(old.type())));
                }
            });
        }
        return module;
    }

    @Override
    List<Shape> buildAll(List<Shape> inputs, BuildContext build) {
        build.require(file != null, "needs the file of its module");
        try (ScriptModule module = ScriptModule.load(file());
                Scope scope = Scope.open()) {
            module.parameters().forEach((name, value) -> {
                Shape shape = value.shape();
                ParameterLayout layout =
                        channelsLast && shape.rank() == 4 ? ParameterLayout.CHANNELS_LAST : ParameterLayout.PLAIN;
                build.parameter(name, shape, Initializer.ZEROS, 1, 1, layout);
            });
            module.buffers().forEach((name, value) -> {
                if (ScriptBinding.isState(value)) {
                    build.buffer(name, value.shape(), Initializer.ZEROS);
                }
            });
            return new ScriptProbe(module, build).outputs(inputs);
        }
    }

    @Override
    protected void initialise(ForwardContext pass) {
        pass.resource(ScriptBinding.class, () -> ScriptBinding.withValuesOf(ScriptModule.load(file()), pass));
    }

    @Override
    List<Tensor> forwardAll(List<Tensor> inputs, ForwardContext pass) {
        return pass.resource(ScriptBinding.class, () -> new ScriptBinding(ScriptModule.load(file()), pass))
                .run(inputs, pass);
    }

    @Override
    List<String> scriptAll(List<String> inputs, ScriptWriter script) {
        String result = script.let(script.module(this) + ".forward(" + String.join(", ", inputs) + ")");
        return script.outputs() == 1
                ? List.of(result)
                : IntStream.range(0, script.outputs())
                        .mapToObj(i -> script.let(result + "[" + i + "]"))
                        .toList();
    }
}
