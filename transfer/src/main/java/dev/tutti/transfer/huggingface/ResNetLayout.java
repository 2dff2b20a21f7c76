package dev.tutti.transfer.huggingface;

import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.globalAvgPool2d;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.residual;

import dev.tutti.array.Shape;
import dev.tutti.nn.Conv2d;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Residual;
import dev.tutti.nn.Sequential;
import dev.tutti.tensor.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The residual networks of torchvision, from the names and shapes of their tensors. */
final class ResNetLayout implements ForeignLayout {
    private static final int SIDE = 224;

    private final WeightFiles files;
    private final Set<String> names;
    private final List<TensorRule> rules = new ArrayList<>();
    private final Layer definition;

    ResNetLayout(WeightFiles files) {
        this.files = files;
        this.names = files.names();
        this.definition = build();
    }

    /** Whether tensors are those of such a network. */
    static boolean matches(Set<String> names) {
        return names.contains("conv1.weight") && names.contains("layer1.0.conv1.weight") && names.contains("fc.weight");
    }

    private Layer build() {
        List<Layer> layers = new ArrayList<>();
        layers.add(conv("conv1", "conv1").stride(2).padding(3));
        layers.add(norm("bn1", "bn1").relu());
        layers.add(maxPool2d(3).stride(2).padding(1));
        for (int stage = 1; names.contains("layer" + stage + ".0.conv1.weight"); stage++) {
            List<Layer> blocks = new ArrayList<>();
            for (int i = 0; names.contains("layer" + stage + "." + i + ".conv1.weight"); i++) {
                int stride = stage > 1 && i == 0 ? 2 : 1;
                blocks.add(block("layer" + stage + ".block" + i, "layer" + stage + "." + i, stride)
                        .named("block" + i));
            }
            layers.add(Sequential.of(blocks).named("layer" + stage));
        }
        layers.add(globalAvgPool2d());
        rules.addAll(TensorRule.weightAndBias("fc", "fc"));
        layers.add(dense((int) shape("fc.weight").dim(0)).named("fc"));
        return Sequential.of(layers);
    }

    /** Two convolutions in the small networks, three in those from 50 layers on. */
    private Layer block(String here, String there, int stride) {
        boolean narrow = names.contains(there + ".conv3.weight");
        List<Layer> body = new ArrayList<>();
        for (int i = 1; i <= (narrow ? 3 : 2); i++) {
            Conv2d conv = conv(here + ".conv" + i, there + ".conv" + i);
            boolean wide = shape(there + ".conv" + i + ".weight").dim(2) == 3;
            conv = wide ? conv.padding(1) : conv;
            conv = i == (narrow ? 2 : 1) ? conv.stride(stride) : conv;
            Layer norm = norm(here + ".bn" + i, there + ".bn" + i);
            body.add(conv);
            body.add(i == (narrow ? 3 : 2) ? norm : norm.relu());
        }
        Residual block = residual(body.toArray(Layer[]::new));
        if (names.contains(there + ".downsample.0.weight")) {
            block = block.shortcut(Sequential.of(
                    conv(here + ".shortcut.conv", there + ".downsample.0").stride(stride),
                    norm(here + ".shortcut.bn", there + ".downsample.1")));
        }
        return block.relu();
    }

    private Conv2d conv(String here, String there) {
        rules.add(TensorRule.same(here + ".weight", there + ".weight"));
        Shape shape = shape(there + ".weight");
        return conv2d((int) shape.dim(0), (int) shape.dim(2), (int) shape.dim(3))
                .noBias()
                .named(last(here));
    }

    private Layer norm(String here, String there) {
        for (String part : List.of("weight", "bias", "running_mean", "running_var")) {
            rules.add(TensorRule.same(here + "." + part, there + "." + part));
        }
        return batchNorm().named(last(here));
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private Shape shape(String tensor) {
        try (Scope scope = Scope.open()) {
            return files.tensor(tensor).shape();
        }
    }

    @Override
    public Layer definition() {
        return definition;
    }

    @Override
    public List<Input> inputs() {
        return List.of(Input.of(3, SIDE, SIDE));
    }

    @Override
    public List<TensorRule> rules() {
        return List.copyOf(rules);
    }
}
