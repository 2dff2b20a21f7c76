package dev.tutti.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CoresTest {
    @Test
    void listsOfProcessorsAreReadWithTheirRanges() {
        assertThat(Cores.parse("0-3,7")).containsExactly(0, 1, 2, 3, 7);
        assertThat(Cores.parse("5")).containsExactly(5);
    }

    @Test
    void oneCoreIsOneThreadAndAllCoresAreNotPinned() {
        assertThat(Cores.ONE.threads()).isEqualTo(1);
        assertThat(Cores.ALL.pinning()).isEmpty();
    }
}
