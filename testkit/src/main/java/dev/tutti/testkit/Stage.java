package dev.tutti.testkit;

import dev.tutti.cluster.coordinator.Rules;
import java.nio.file.Path;

/**
 * Members, what they do, and what happens to them.
 *
 * @param drill what they do
 * @param byHand how many members are started by hand; 0: a driver starts them, as the drill's place says
 * @param rules of the coordinator, where members are started by hand; may be null
 * @param schedule what happens
 */
public record Stage(Drill drill, int byHand, Rules rules, Schedule schedule) {
    /** One JVM does the drill and starts the others itself. */
    public static Stage driven(Drill drill, Schedule.Then schedule) {
        return new Stage(drill, 0, null, schedule.schedule());
    }

    /** A coordinator in a JVM of its own, and so many members as its rules expect. */
    public static Stage byHand(Drill drill, Rules rules, Schedule.Then schedule) {
        return new Stage(drill, rules.expected(), rules, schedule.schedule());
    }

    /** Starts it. @param folder for the coordinator's journal */
    public Ensemble start(Path folder) {
        return byHand == 0
                ? Ensemble.driven(drill, schedule)
                : Ensemble.byHand(drill, new HandMade(byHand, rules, folder), schedule);
    }

    @Override
    public String toString() {
        return (byHand == 0 ? drill.place() : byHand + " by hand") + ": " + schedule;
    }
}
