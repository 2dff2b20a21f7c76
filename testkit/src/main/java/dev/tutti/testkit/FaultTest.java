package dev.tutti.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A fault, tried twice: where nothing is done about it, which shows that it bites, and where training has to survive it. Without
 * the first, the second might pass because nothing happened.
 *
 * @param name of the fault
 * @param defenceless where nothing is done about it
 * @param bites what shows that it bites
 * @param defended where something is
 * @param survives what shows that it was survived
 */
public record FaultTest(
        String name, Scenario defenceless, List<Expectation> bites, Scenario defended, List<Expectation> survives) {
    /** A fault, without a trial yet. */
    public static FaultTest of(String name) {
        return new FaultTest(name, null, List.of(), null, List.of());
    }

    public FaultTest bites(Scenario where, Expectation... shown) {
        return new FaultTest(name, where, List.of(shown), defended, survives);
    }

    public FaultTest survives(Scenario where, Expectation... shown) {
        return new FaultTest(name, defenceless, bites, where, List.of(shown));
    }

    /** What speaks against its having bitten; nothing, one hopes. */
    public List<String> bite(Path folder, Duration limit) {
        return run(defenceless, bites, folder, limit);
    }

    /** What speaks against its having been survived; nothing, one hopes. */
    public List<String> survive(Path folder, Duration limit) {
        return run(defended, survives, folder, limit);
    }

    private static List<String> run(Scenario stage, List<Expectation> signs, Path folder, Duration limit) {
        try (ProcessCluster cluster = stage.start(folder)) {
            ProcessCluster.Outcome outcome = cluster.await(limit);
            List<String> complaints = new ArrayList<>();
            outcome.hung().forEach(member -> complaints.add(member + " neither went on nor failed"));
            signs.forEach(sign -> complaints.addAll(sign.complaints(outcome)));
            if (!complaints.isEmpty()) {
                complaints.add(0, stage.toString());
                complaints.addAll(outcome.log());
            }
            return complaints;
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
