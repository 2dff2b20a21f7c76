package dev.tutti.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Gradients of products that are written straight into the vector equal those that the engine adds up there. */
@Timeout(120)
class WeightGradientTest {
    private static final int IN = 256;
    private static final int OUT = 300;
    private static final long WEIGHT = (long) IN * OUT;

    private interface Product {
        Tensor of(Tensor x, Tensor weight, Tensor bias);
    }

    private static final Product PLAIN = Functions::linear;
    private static final Product DIRECT = Functions::linearOfParameter;

    @Test
    void equalsThePlainProduct() {
        assertSame(product -> net -> net.loss(product, false), false);
        assertSame(product -> net -> net.loss(product, true), false);
    }

    @Test
    void aWeightThatIsUsedTwiceGathersBoth() {
        assertSame(
                product -> net ->
                        net.loss(product, false).add(net.loss(product, true).mul(2)),
                false);
        assertSame(
                product -> net ->
                        net.loss(product, false).add(net.weight().square().sum()),
                false);
    }

    @Test
    void addsToWhatWasThere() {
        assertSame(product -> net -> net.loss(product, true), true);
    }

    @Test
    void backwardOfATensorAddsAsEver() {
        try (Scope scope = Scope.open();
                Net plain = net();
                Net direct = net()) {
            for (int i = 0; i < 2; i++) {
                plain.loss(PLAIN, true).backward();
                direct.loss(DIRECT, true).backward();
            }
            assertClose(direct, plain);
        }
    }

    @Test
    void aLossThatOutlivesItsScopeCanStillGoBackward() {
        try (Net plain = net();
                Net direct = net()) {
            try (Scope scope = Scope.open()) {
                plain.vector().backward(plain.loss(PLAIN, true), false);
            }
            Tensor kept;
            Tensor retained;
            try (Scope scope = Scope.open()) {
                kept = scope.keep(direct.loss(DIRECT, true));
                retained = direct.loss(DIRECT, true).retain();
            }
            for (int i = 0; i < 5; i++) {
                System.gc(); // nothing but the tensors holds on to what the backward pass needs
            }
            for (Tensor loss : new Tensor[] {kept, retained}) {
                direct.vector().gradients().fill_(3);
                direct.vector().backward(loss, false);
                loss.close();
                assertClose(direct, plain);
            }
        }
    }

    @Test
    void nothingIsLeftBehind() {
        try (Net net = net()) {
            step(net);
            long before = EngineProbe.liveObjects();
            for (int i = 0; i < 50; i++) {
                step(net);
            }
            assertThat(EngineProbe.liveObjects()).isLessThanOrEqualTo(before);
        }
    }

    private static void step(Net net) {
        try (Scope scope = Scope.open()) {
            net.vector().backward(net.loss(DIRECT, true), false);
        }
    }

    private static void assertSame(Function<Product, Function<Net, Tensor>> losses, boolean add) {
        try (Scope scope = Scope.open();
                Net plain = net();
                Net direct = net()) {
            for (Net net : new Net[] {plain, direct}) {
                net.vector().gradients().fill_(0.5);
            }
            plain.vector().backward(losses.apply(PLAIN).apply(plain), add);
            direct.vector().backward(losses.apply(DIRECT).apply(direct), add);
            assertClose(direct, plain);
        }
    }

    private static void assertClose(Net actual, Net expected) {
        double[] want = expected.vector().gradients().toArray().doubles();
        double[] have = actual.vector().gradients().toArray().doubles();
        for (int i = 0; i < want.length; i++) {
            assertThat(have[i]).as("element %d", i).isCloseTo(want[i], within(1e-9 * (1 + Math.abs(want[i]))));
        }
    }

    private static Net net() {
        FlatVector vector = new FlatVector(WEIGHT + OUT, DType.FLOAT64, Device.CPU);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin();
                Randomness random = new Randomness(1)) {
            random.normal_(vector.values(), 0, 1);
            return new Net(
                    vector,
                    vector.parameter(new Range(0, WEIGHT), Shape.of(OUT, IN), Layout.PLAIN)
                            .retain(),
                    vector.parameter(new Range(WEIGHT, OUT), Shape.of(OUT), Layout.PLAIN)
                            .retain());
        }
    }

    /** A weight and a bias in their vector. */
    private record Net(FlatVector vector, Tensor weight, Tensor bias) implements AutoCloseable {
        /** The second kind has time steps, and an input that learns as well. */
        Tensor loss(Product product, boolean deep) {
            Tensor ramp =
                    Functions.tanh(Tensor.range(0, 6 * IN).to(DType.FLOAT64).mul(1.0 / IN));
            Tensor x = deep ? ramp.view(2, 3, IN).add(bias.narrow(0, 0, IN)) : ramp.view(6, IN);
            return product.of(x, weight, bias).square().sum();
        }

        @Override
        public void close() {
            weight.close();
            bias.close();
            vector.close();
        }
    }
}
