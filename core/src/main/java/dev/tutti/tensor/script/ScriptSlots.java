package dev.tutti.tensor.script;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.JitModule;

/**
 * The places in a tree of TorchScript modules that hold its tensors, by the names Python gives them.
 *
 * <p>One tensor may lie in several places: under two names where weights are tied, and besides in a list, as PyTorch's LSTM and
 * GRU keep theirs. It is known by the first of its names and replaced in all places.
 */
final class ScriptSlots implements AutoCloseable {
    /** One place. */
    private interface Slot {
        org.bytedeco.pytorch.Tensor read();

        void write(org.bytedeco.pytorch.Tensor value);
    }

    private record Attribute(JitModule owner, String name) implements Slot {
        @Override
        public org.bytedeco.pytorch.Tensor read() {
            return new org.bytedeco.pytorch.Tensor(owner.attr(name).toTensor());
        }

        @Override
        public void write(org.bytedeco.pytorch.Tensor value) {
            owner.setattr(name, new IValue(value));
        }
    }

    private record Element(JitModule owner, String list, long index) implements Slot {
        @Override
        public org.bytedeco.pytorch.Tensor read() {
            return owner.attr(list).toTensorList().get(index);
        }

        @Override
        public void write(org.bytedeco.pytorch.Tensor value) {
            owner.attr(list).toTensorList().set(index, value);
        }
    }

    private final Map<String, JitModule> modules = new LinkedHashMap<>();
    private final Map<String, List<Slot>> parameters = new LinkedHashMap<>();
    private final Map<String, List<Slot>> buffers = new LinkedHashMap<>();

    ScriptSlots(JitModule root) {
        findModules(root);
        var parameter = root.named_parameters().begin();
        for (long i = root.named_parameters().size(); i > 0; i--, parameter.increment()) {
            add(parameters, parameter.multiply().name().getString());
        }
        var buffer = root.named_buffers().begin();
        for (long i = root.named_buffers().size(); i > 0; i--, buffer.increment()) {
            add(buffers, buffer.multiply().name().getString());
        }
        var attribute = root.named_attributes().begin();
        for (long i = root.named_attributes().size(); i > 0; i--, attribute.increment()) {
            var named = attribute.multiply();
            if (named.value().isTensorList()) {
                addElements(
                        named.name().getString(), named.value().toTensorList().size());
            }
        }
    }

    private void findModules(JitModule root) {
        var module = root.named_modules().begin();
        for (long i = root.named_modules().size(); i > 0; i--, module.increment()) {
            var named = module.multiply();
            var path = named.name();
            JitModule part = new JitModule(named.value());
            part.retainReference();
            modules.put(path == null ? "" : path.getString(), part); // the engine has no pointer to an empty text
        }
    }

    private void add(Map<String, List<Slot>> groups, String path) {
        Slot slot = new Attribute(owner(path), last(path));
        List<Slot> known = holding(slot.read());
        if (known == null) {
            groups.put(path, new ArrayList<>(List.of(slot)));
        } else {
            known.add(slot);
        }
    }

    private void addElements(String path, long size) {
        for (long index = 0; index < size; index++) {
            Slot slot = new Element(owner(path), last(path), index);
            List<Slot> known = holding(slot.read());
            if (known != null) {
                known.add(slot);
            }
        }
    }

    private List<Slot> holding(org.bytedeco.pytorch.Tensor tensor) {
        for (Map<String, List<Slot>> groups : List.of(parameters, buffers)) {
            for (List<Slot> group : groups.values()) {
                if (group.get(0).read().is_same(tensor)) {
                    return group;
                }
            }
        }
        return null;
    }

    private JitModule owner(String path) {
        return modules.get(path.substring(0, Math.max(0, path.lastIndexOf('.'))));
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    Set<String> parameters() {
        return parameters.keySet();
    }

    Set<String> buffers() {
        return buffers.keySet();
    }

    /** The tensor of a name, or null. */
    org.bytedeco.pytorch.Tensor read(String name) {
        List<Slot> slots = parameters.getOrDefault(name, buffers.get(name));
        return slots == null ? null : slots.get(0).read();
    }

    /** Replaces the tensor of a name that is there. */
    void write(String name, org.bytedeco.pytorch.Tensor value) {
        parameters.getOrDefault(name, buffers.get(name)).forEach(slot -> slot.write(value));
    }

    @Override
    public void close() {
        modules.values().forEach(JitModule::releaseReference);
    }
}
