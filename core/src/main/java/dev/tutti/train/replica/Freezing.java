package dev.tutti.train.replica;

import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import java.util.Set;

/**
 * Keeps what is frozen the same on all members. What the chief's callbacks freeze or unfreeze is held back until all know it: a
 * parameter that moves on some members only would be lost to all. A chief that holds a part of the model tells with its own names those
 * that others hold.
 */
public final class Freezing {
    private final Team team;
    private final Agreement agreement;
    private final Model model;
    private Set<String> agreed = Set.of();
    private Set<String> wanted;

    public Freezing(Team team, Agreement agreement, Model model) {
        this.team = team;
        this.agreement = agreement;
        this.model = model;
    }

    /** Whether the chief has something to tell the others. */
    public boolean isPending() {
        return wanted != null;
    }

    /** Looks, after callbacks had their turn, whether they have changed anything. */
    public void holdBack() {
        if (team.group().size() == 1) {
            return;
        }
        Set<String> now = model.frozenInWhole();
        if (!now.equals(agreed)) {
            wanted = now;
            model.freezeOnly(agreed);
        }
    }

    /** All members do as the chief wants; all call it, between two steps. */
    public void agree() {
        if (team.group().size() > 1) {
            Set<String> mine = wanted == null ? model.frozenInWhole() : wanted;
            String chiefs = agreement.text("frozen parameters", () -> String.join("\n", mine), 0);
            model.freezeOnly(chiefs.isEmpty() ? Set.of() : Set.of(chiefs.split("\n")));
        }
        agreed = model.frozenInWhole();
        wanted = null;
    }
}
