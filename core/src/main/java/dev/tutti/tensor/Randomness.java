package dev.tutti.tensor;

import static dev.tutti.tensor.NativeConversions.run;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import org.bytedeco.pytorch.Generator;
import org.bytedeco.pytorch.GeneratorOptional;
import org.bytedeco.pytorch.global.torch;

/**
 * A stream of random numbers inside the engine that belongs to one worker.
 *
 * <p>It is set anew whenever a layer draws, from numbers such as seed and step and from the layer's name, so there is no state to
 * save: a resumed run draws what the uninterrupted one would have drawn.
 */
public final class Randomness implements AutoCloseable {
    private final Generator generator;
    private final GeneratorOptional optional;

    public Randomness(long seed) {
        Engine.load();
        generator = torch.make_generator_cpu(seed);
        generator.retainReference();
        optional = new GeneratorOptional(generator);
        optional.retainReference();
    }

    /** Begins the stream that belongs to these numbers, for instance seed, step and rank. */
    public void restart(long... keys) {
        generator.set_current_seed(mix(keys));
    }

    /** Folds several numbers into one seed; near inputs give unrelated seeds. */
    public static long mix(long... keys) {
        long hash = 0x9E3779B97F4A7C15L;
        for (long key : keys) {
            hash = (hash ^ key) * 0xBF58476D1CE4E5B9L;
            hash = (hash ^ (hash >>> 29)) * 0x94D049BB133111EBL;
            hash ^= hash >>> 32;
        }
        return hash;
    }

    /**
     * Sets the engine's own stream anew from this one, for code that cannot be handed a stream, such as TorchScript modules.
     * There is only one of it: workers that use it at the same time in one JVM do not draw the same numbers in every run.
     */
    public void restartShared() {
        run("restartShared", () -> {
            try (Scope scope = Scope.open()) {
                Tensor seed = Tensor.empty(Shape.of(1), DType.INT64);
                torch.manual_seed(seed.handle().random_(optional).item().toLong());
            }
        });
    }

    /** Fills with numbers between low and high, evenly. */
    public void uniform_(Tensor tensor, double low, double high) {
        run("uniform_", () -> tensor.handle().uniform_(low, high, optional));
    }

    /** Fills with numbers round a mean, by the normal distribution. */
    public void normal_(Tensor tensor, double mean, double deviation) {
        run("normal_", () -> tensor.handle().normal_(mean, deviation, optional));
    }

    /** Fills with ones, by the given chance, and zeros. */
    public void bernoulli_(Tensor tensor, double chance) {
        run("bernoulli_", () -> tensor.handle().bernoulli_(chance, optional));
    }

    @Override
    public void close() {
        optional.releaseReference();
        generator.releaseReference();
    }
}
