package dev.tutti.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class ScopeTest {
    private static Tensor ones() {
        return Tensor.full(Shape.of(2, 3), 1, DType.FLOAT32);
    }

    @Test
    void whatIsMadeInsideIsFreedAtTheEnd() {
        Tensor tensor;
        try (Scope scope = Scope.open()) {
            tensor = ones();
            assertThat(tensor.isOpen()).isTrue();
        }
        assertThat(tensor.isOpen()).isFalse();
        assertThat(tensor).hasToString("closed tensor");
    }

    @Test
    void aTensorUsedAfterItsScopeThrows() {
        Tensor closed;
        try (Scope scope = Scope.open()) {
            closed = ones();
        }
        try (Scope scope = Scope.open()) {
            Tensor open = ones();
            assertThatThrownBy(() -> closed.add(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("the tensor was used after it or its scope was closed");
            assertThatThrownBy(() -> open.add(closed)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> Functions.linear(open, closed, null)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> Functions.linear(open, open, closed)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> Tensor.concat(java.util.List.of(open, closed), 0))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(closed::toArray).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(closed::shape).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(closed::retain).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> closed.write(NdArray.of(new float[6], 2, 3)))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(closed::backward).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> scope.keep(closed)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closingTwiceDoesNothing() {
        Scope scope = Scope.open();
        Tensor tensor = ones();
        tensor.close();
        tensor.close();
        assertThat(tensor.isOpen()).isFalse();
        scope.close();
        scope.close();
        assertThatThrownBy(() -> scope.keep(ones())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aViewKeepsItsMemoryAliveAfterTheOriginalIsClosed() {
        try (Scope scope = Scope.open()) {
            Tensor original = ones();
            Tensor view = original.narrow(0, 0, 1);
            original.close();
            assertThat(view.sum().item()).isEqualTo(3);
        }
    }

    @Test
    void aKeptTensorLivesAsLongAsTheScopeAround() {
        Tensor kept;
        try (Scope outer = Scope.open()) {
            try (Scope inner = Scope.open()) {
                kept = inner.keep(ones());
            }
            assertThat(kept.sum().item()).isEqualTo(6);
        }
        assertThat(kept.isOpen()).isFalse();
    }

    @Test
    void withoutAScopeAroundAKeptTensorBelongsToWhoeverClosesIt() {
        Tensor kept;
        try (Scope scope = Scope.open()) {
            kept = scope.keep(ones());
        }
        assertThat(kept.sum().item()).isEqualTo(6);
        kept.close();
        assertThat(kept.isOpen()).isFalse();
    }

    @Test
    void aRetainedTensorOutlivesAllScopes() {
        Tensor retained;
        try (Scope outer = Scope.open();
                Scope inner = Scope.open()) {
            retained = ones().retain();
        }
        assertThat(retained.sum().item()).isEqualTo(6);
        retained.close();
        assertThat(retained.isOpen()).isFalse();
    }

    @Test
    void innerScopesAreClosedFirst() {
        Scope outer = Scope.open();
        Scope inner = Scope.open();
        assertThatThrownBy(outer::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not the innermost open one");
        Tensor stillOwned = ones();
        inner.close();
        assertThat(stillOwned.isOpen()).isFalse();
        outer.close();
    }

    @Test
    void aScopeBelongsToItsThread() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (Scope scope = Scope.open()) {
            Future<?> closing = other.submit(scope::close);
            assertThatThrownBy(closing::get)
                    .hasCauseInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("scopes belong to one thread");
            Tensor elsewhere = other.submit(() -> ones().retain()).get();
            assertThat(elsewhere.isOpen()).isTrue();
            elsewhere.close();
        } finally {
            other.shutdown();
        }
    }

    @Test
    void scopesWithManyTensorsLeaveNothingBehind() {
        step();
        long before = EngineProbe.liveObjects();
        for (int i = 0; i < 500; i++) {
            step();
        }
        assertThat(EngineProbe.liveObjects()).isLessThanOrEqualTo(before);
    }

    private static void step() {
        try (Scope scope = Scope.open()) {
            Tensor x = ones().requiresGradient(true);
            Tensor y = Functions.relu(x.mul(2).add(x)).sum();
            y.backward();
            assertThat(x.gradient().orElseThrow().sum().item()).isEqualTo(18);
        }
    }
}
