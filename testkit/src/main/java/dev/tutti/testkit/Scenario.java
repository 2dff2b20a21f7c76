package dev.tutti.testkit;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.testkit.fault.FaultSchedule;
import java.nio.file.Path;

/**
 * Members, what they do, and what happens to them.
 *
 * @param drill what they do
 * @param byHand how many members are started by hand; 0: a driver starts them, as the drill's place says
 * @param rules of the coordinator, where members are started by hand; may be null
 * @param schedule what happens
 */
public record Scenario(TrainingScenario drill, int byHand, MembershipRules rules, FaultSchedule schedule) {
    /** One JVM does the drill and starts the others itself. */
    public static Scenario driven(TrainingScenario drill, FaultSchedule.Then schedule) {
        return new Scenario(drill, 0, null, schedule.schedule());
    }

    /** A coordinator in a JVM of its own, and so many members as its rules expect. */
    public static Scenario byHand(TrainingScenario drill, MembershipRules rules, FaultSchedule.Then schedule) {
        return new Scenario(drill, rules.expected(), rules, schedule.schedule());
    }

    /** Starts it. @param folder for the coordinator's journal */
    public ProcessCluster start(Path folder) {
        return byHand == 0
                ? ProcessCluster.driven(drill, schedule)
                : ProcessCluster.byHand(drill, new ManualCluster(byHand, rules, folder), schedule);
    }

    @Override
    public String toString() {
        return (byHand == 0 ? drill.place() : byHand + " by hand") + ": " + schedule;
    }
}
