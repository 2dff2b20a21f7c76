package dev.tutti.testkit.soak;

import dev.tutti.TuttiException;
import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.launch.LocalProcesses;
import dev.tutti.testkit.ProcessCluster;
import dev.tutti.testkit.TrainingScenario;
import dev.tutti.testkit.fault.Fault;
import dev.tutti.testkit.fault.FaultSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How long it takes from the loss of a worker to the next step of the survivors, measured on real JVMs.
 *
 * @param seconds of each run
 */
public record RecoveryTimes(List<Double> seconds) {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int MEMBERS = 3;

    /** After kill -9 of one of three. */
    public static RecoveryTimes kill(int runs) {
        return measure(
                runs,
                Cluster.processes(MEMBERS).restarts(0),
                FaultSchedule.at(1, 20).kill(2).schedule(),
                Fault.Kill.class);
    }

    /** After SIGSTOP of one of three, who is given up after some silence: the deadline is part of the time. */
    public static RecoveryTimes hang(int runs, Duration goneAfter) {
        return measure(
                runs,
                Cluster.processes(MEMBERS).restarts(0).goneAfter(goneAfter),
                FaultSchedule.at(1, 20).hang(2).schedule(),
                Fault.Hang.class);
    }

    private static RecoveryTimes measure(
            int runs, LocalProcesses place, FaultSchedule schedule, Class<? extends Fault> fault) {
        TrainingScenario scenario = TrainingScenario.on(place).steps(40, 1);
        List<Double> seconds = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            try (ProcessCluster cluster = ProcessCluster.driven(scenario, schedule)) {
                ProcessCluster.Outcome outcome = cluster.await(LIMIT);
                if (outcome.results().isEmpty() || outcome.first().failed()) {
                    throw new TuttiException("training did not survive " + schedule + ": " + outcome.log());
                }
                seconds.add(outcome.secondsToNextStep(fault));
            }
        }
        return new RecoveryTimes(seconds);
    }

    public double median() {
        List<Double> sorted = new ArrayList<>(seconds);
        Collections.sort(sorted);
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
