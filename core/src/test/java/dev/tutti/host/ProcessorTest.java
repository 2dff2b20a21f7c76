package dev.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.MatrixProducts;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which instructions may be used. */
class ProcessorTest {
    @Test
    void tilesOfUnknownSizeAreUnusable() {
        String flags = "flags\t\t: fpu avx512f amx_bf16 amx_tile amx_int8\n";
        assertThat(Processor.unusableTiles("cpuid level\t: 28\n" + flags)).isTrue();
        assertThat(Processor.unusableTiles("cpuid level\t: 32\n" + flags)).isFalse();
        assertThat(Processor.unusableTiles("cpuid level\t: 28\nflags\t\t: fpu avx512f\n"))
                .isFalse();
        assertThat(Processor.unusableTiles("")).isFalse();
    }

    /** Where tiles are named but unusable, each of these has ended the JVM before oneDNN was kept from them. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void productsOfShortNumbersDoNotEndTheJvm(DType type) {
        Engine.load();
        try (Scope scope = Scope.open()) {
            Tensor left = Tensor.full(Shape.of(128, 128), 0.5, DType.FLOAT32).to(type);
            Tensor gradient = Tensor.zeros(Shape.of(128, 128), DType.FLOAT32);
            assertThat(left.matmul(left).to(DType.FLOAT32).toArray().floats()).containsOnly(32f);
            try (MatrixProducts products = MatrixProducts.of(left, gradient)) {
                assertThat(products.forward(left, null)
                                .to(DType.FLOAT32)
                                .toArray()
                                .floats())
                        .containsOnly(32f);
                assertThat(products.toInput(left).to(DType.FLOAT32).toArray().floats())
                        .containsOnly(32f);
                products.toWeight(left, left, false);
                products.toWeight(left, left, true);
                assertThat(gradient.toArray().floats()).containsOnly(64f);
            }
        }
    }
}
