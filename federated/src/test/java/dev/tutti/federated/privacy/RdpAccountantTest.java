package dev.tutti.federated.privacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RdpAccountantTest {
    /** Computed by Opacus 1.6.0 (opacus.accountants.analysis.rdp) with the same orders. */
    @ParameterizedTest
    @CsvSource({
        "0.01, 1.0, 1000, 1e-5, 2.1013652716430564",
        "0.1, 1.0, 100, 1e-5, 7.899255002434629",
        "0.1, 2.0, 50, 1e-6, 2.104491747318052",
        "1.0, 4.0, 10, 1e-5, 3.617099772983339",
        "0.02, 0.8, 500, 1e-5, 5.370137866453623",
        "0.5, 3.0, 20, 1e-5, 3.7197549142783966",
        "0.001, 0.6, 3000, 1e-6, 3.432407475685917",
    })
    void agreesWithAPublishedAccountant(double chance, double noise, int rounds, double delta, double epsilon) {
        assertThat(new RdpAccountant(chance, noise).epsilon(rounds, delta)).isCloseTo(epsilon, within(1e-6));
    }

    @Test
    void moreRoundsSpendMoreAndMoreNoiseLess() {
        RdpAccountant some = new RdpAccountant(0.1, 1);
        assertThat(some.epsilon(0, 1e-5)).isZero();
        assertThat(some.epsilon(20, 1e-5)).isGreaterThan(some.epsilon(10, 1e-5));
        assertThat(new RdpAccountant(0.1, 2).epsilon(10, 1e-5)).isLessThan(some.epsilon(10, 1e-5));
        assertThat(new RdpAccountant(0.01, 1).epsilon(10, 1e-5)).isLessThan(some.epsilon(10, 1e-5));
    }

    @Test
    void theLedgerStopsBeforeTheBudgetIsPassed() {
        PrivacyLedger ledger =
                new PrivacyLedger(new DifferentialPrivacy().noise(1).delta(1e-5).epsilon(4), 0.1);
        int rounds = 0;
        while (ledger.spent().isEmpty()) {
            ledger.spend();
            rounds++;
        }
        assertThat(rounds).isPositive();
        assertThat(ledger.epsilon()).isLessThanOrEqualTo(4);
        assertThat(new RdpAccountant(0.1, 1).epsilon(rounds + 1, 1e-5)).isGreaterThan(4);
        assertThat(ledger.spent().orElseThrow()).contains("budget is spent").contains("4.000");
        PrivacyLedger restored =
                new PrivacyLedger(new DifferentialPrivacy().noise(1).delta(1e-5).epsilon(4), 0.1);
        restored.restore(rounds);
        assertThat(restored.spent()).isPresent();
    }
}
