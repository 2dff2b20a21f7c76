package dev.tutti.testkit.soak;

import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.strategy.Strategies;
import dev.tutti.testkit.Scenario;
import dev.tutti.testkit.TrainingScenario;
import dev.tutti.testkit.fault.Breakdown;
import dev.tutti.testkit.fault.FaultSchedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One member stopped or killed at one point after the other, from its start to its end. At every point, every other member has
 * to train again or to fail and say who is missing, each within its deadlines.
 */
final class Sweep {
    static final int STEPS = 20;
    static final int EPOCHS = 2;
    /** Gradients of several MB, so that there is a middle of summing them. */
    private static final int HIDDEN = 512;

    private static final int MEMBERS = 3;
    private static final Timeouts PATIENCE = Timeouts.DEFAULT
            .heartbeats(Duration.ofMillis(300), Duration.ofMillis(1000), Duration.ofSeconds(3))
            .start(Duration.ofSeconds(15))
            .tooFew(Duration.ofSeconds(1))
            .collective(Duration.ofSeconds(10));

    private Sweep() {}

    /** A point of a member's work. */
    private record Point(String where, int count, long micros) {
        Breakdown of(String member, boolean kill) {
            return new Breakdown(member, where, count, micros, kill);
        }
    }

    private static final List<Point> POINTS = List.of(
            new Point(Breakdown.START, 1, 0),
            new Point(Breakdown.MEETING, 1, 0),
            new Point(Breakdown.MEETING, 1, 100_000),
            new Point(Breakdown.MET, 1, 0),
            new Point("memory for gradients", 1, 0),
            new Point("more and stop", 1, 0), // the first thing that all agree on
            new Point("gradients", 1, 0), // the first step
            new Point("gradients", 1, 300),
            new Point("gradients", 7, 100), // in the middle of summing
            new Point("gradients", 8, 1000),
            new Point("gradients", 9, 3000),
            new Point("readers of gradients", 10, 0),
            new Point("tally", 12, 0), // between steps
            new Point("tally", STEPS, 5000), // within an evaluation
            new Point("evaluation: contents", 1, 0), // bringing it together
            new Point("evaluation: contents", 2, 100),
            new Point("metrics", STEPS, 0), // what was measured in the last step of an epoch
            new Point("more and stop", 2, 0), // the beginning of the next
            new Point("where the time went", 1, 0), // the end of training
            new Point("the end", 1, 0),
            new Point("the end", 1, 100),
            new Point(Breakdown.LEAVING, 1, 0));

    /** Those only a chief comes to. */
    private static final List<Point> CHIEFS =
            List.of(new Point(Breakdown.CHECKPOINT, 1, 0), new Point(Breakdown.CHECKPOINT, 1, 1000));

    /** Those at which a driver is struck, with which the coordinator goes. */
    private static final List<Point> DRIVERS = List.of(
            new Point(Breakdown.MET, 1, 0),
            new Point("gradients", 8, 1000),
            new Point("evaluation: contents", 1, 0),
            new Point("the end", 1, 0));

    /** Those at which a server of parameters is struck: what a worker asks of it. */
    private static final List<Point> SERVERS = List.of(
            new Point(Breakdown.MET, 1, 0), // it holds nothing yet
            new Point("parameters.set-up", 1, 0),
            new Point("parameters.set-up", 1, 3000),
            new Point("parameters.store", 1, 0), // the first step
            new Point("parameters.store", 7, 0),
            new Point("parameters.store", 8, 1000), // in the middle of taking gradients
            new Point("parameters.commit", 9, 0), // all gradients are there, and no update has been made
            new Point("parameters.commit", 10, 500),
            new Point("parameters.commit", STEPS, 0), // the last step of an epoch
            new Point("parameters.pull", 11, 0),
            new Point("parameters.pull", 12, 500),
            new Point("parameters.state", 1, 0)); // a checkpoint

    /** One run. @param breakdown what happens in it */
    record Run(int number, Breakdown breakdown, boolean driven, int min) {
        Scenario stage(Path folder) {
            if (strikesServer()) {
                return withServers(folder);
            }
            TrainingScenario scenario = (driven
                            ? TrainingScenario.on(Cluster.processes(MEMBERS)
                                    .restarts(0)
                                    .goneAfter(Duration.ofMillis(PATIENCE.gone()))
                                    .deadline(Duration.ofMillis(PATIENCE.collective())))
                            : TrainingScenario.joined())
                    .hidden(HIDDEN)
                    .steps(STEPS, EPOCHS)
                    .checkpoints(folder.resolve("checkpoints"))
                    .breaking(breakdown);
            MembershipRules rules =
                    MembershipRules.of(MEMBERS).between(min, MEMBERS).patience(PATIENCE);
            return new Scenario(scenario, driven ? 0 : MEMBERS, driven ? null : rules, FaultSchedule.CALM);
        }

        boolean strikesServer() {
            return breakdown.isOfAnotherRole();
        }

        /** Two servers, each of which keeps a copy of the other's parameters. */
        private Scenario withServers(Path folder) {
            TrainingScenario scenario = TrainingScenario.on(Cluster.processes(4) // two of which are servers
                            .restarts(1)
                            .goneAfter(Duration.ofMillis(PATIENCE.gone()))
                            .deadline(Duration.ofMillis(PATIENCE.collective())))
                    .on(Strategies.parameterServer().servers(2).backups(1).patience(Duration.ofSeconds(15)))
                    .hidden(HIDDEN)
                    .steps(STEPS, EPOCHS)
                    .checkpoints(folder.resolve("checkpoints"))
                    .breaking(breakdown);
            return new Scenario(scenario, 0, null, FaultSchedule.CALM);
        }

        @Override
        public String toString() {
            return number + ": " + breakdown
                    + (strikesServer() ? "" : driven ? ", which drives the others" : min > 1 ? ", all are needed" : "");
        }
    }

    /** All runs: each point for the chief and another, stopped and killed; then with all members required; then drivers and servers. */
    static List<Run> runs() {
        List<Run> runs = new ArrayList<>();
        for (Point point : POINTS) {
            for (String member : List.of("worker-0", "worker-1")) {
                runs.add(new Run(runs.size(), point.of(member, false), false, 1));
                runs.add(new Run(runs.size(), point.of(member, true), false, 1));
            }
        }
        for (Point point : CHIEFS) {
            runs.add(new Run(runs.size(), point.of("worker-0", false), false, 1));
            runs.add(new Run(runs.size(), point.of("worker-0", true), false, 1));
        }
        for (Point point : POINTS) {
            int n = runs.size();
            runs.add(new Run(n, point.of("worker-" + n % 2, n / 2 % 2 == 0), false, MEMBERS));
        }
        for (Point point : DRIVERS) {
            runs.add(new Run(runs.size(), point.of("worker-0", true), true, 1));
        }
        for (Point point : DRIVERS) {
            runs.add(new Run(runs.size(), point.of("worker-0", false), true, 1));
        }
        for (Point point : SERVERS) {
            runs.add(new Run(runs.size(), point.of("server-0", true), true, 1));
            runs.add(new Run(runs.size(), point.of("server-0", false), true, 1));
        }
        return runs;
    }
}
