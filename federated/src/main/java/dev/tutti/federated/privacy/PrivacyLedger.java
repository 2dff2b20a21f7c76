package dev.tutti.federated.privacy;

import java.util.Locale;
import java.util.Optional;

/** What the rounds of a run have spent of its privacy. */
public final class PrivacyLedger {
    private final DifferentialPrivacy privacy;
    private final RdpAccountant accountant;
    private int rounds;

    /** @param chance with which a client takes part in a round */
    public PrivacyLedger(DifferentialPrivacy privacy, double chance) {
        this.privacy = privacy;
        accountant = new RdpAccountant(chance, privacy.accountedNoise());
    }

    /** Counts a round whose model will leave. */
    public void spend() {
        rounds++;
    }

    public int rounds() {
        return rounds;
    }

    /** The epsilon spent so far. */
    public double epsilon() {
        return accountant.epsilon(rounds, privacy.delta());
    }

    /** Why no further round may be run: it would spend more than the budget. */
    public Optional<String> spent() {
        double next = accountant.epsilon(rounds + 1, privacy.delta());
        return privacy.epsilon()
                .filter(budget -> next > budget)
                .map(budget -> String.format(
                        Locale.ROOT,
                        "the privacy budget is spent: epsilon is %.3f after %d rounds at delta %.1e, another round"
                                + " would make it %.3f, and the budget is %.3f",
                        epsilon(),
                        rounds,
                        privacy.delta(),
                        next,
                        budget));
    }

    /** Goes on from what was spent before. */
    public void restore(int spentRounds) {
        rounds = spentRounds;
    }
}
