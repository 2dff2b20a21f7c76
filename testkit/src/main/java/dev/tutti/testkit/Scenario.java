package dev.tutti.testkit;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.testkit.fault.FaultSchedule;
import java.nio.file.Path;

/**
 * Members, what they do, and what happens to them.
 *
 * @param scenario what they do
 * @param byHand how many members are started by hand; 0: a driver starts them, as the scenario's place says
 * @param rules of the coordinator, where members are started by hand; may be null
 * @param schedule what happens
 */
public record Scenario(TrainingScenario scenario, int byHand, MembershipRules rules, FaultSchedule schedule) {
    /** One JVM does the scenario and starts the others itself. */
    public static Scenario driven(TrainingScenario scenario, FaultSchedule.Then schedule) {
        return new Scenario(scenario, 0, null, schedule.schedule());
    }

    /** A coordinator in a JVM of its own, and so many members as its rules expect. */
    public static Scenario byHand(TrainingScenario scenario, MembershipRules rules, FaultSchedule.Then schedule) {
        return new Scenario(scenario, rules.expected(), rules, schedule.schedule());
    }

    /** Starts it. @param folder for the coordinator's journal */
    public ProcessCluster start(Path folder) {
        return byHand == 0
                ? ProcessCluster.driven(scenario, schedule)
                : ProcessCluster.byHand(scenario, new ManualCluster(byHand, rules, folder), schedule);
    }

    @Override
    public String toString() {
        return (byHand == 0 ? scenario.place() : byHand + " by hand") + ": " + schedule;
    }
}
