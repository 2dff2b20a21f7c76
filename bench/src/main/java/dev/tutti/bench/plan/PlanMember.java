package dev.tutti.bench.plan;

import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.ClusterSpec;
import dev.tutti.cluster.Server;
import dev.tutti.host.HostTuning;
import dev.tutti.tensor.Engine;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.job.Job;
import dev.tutti.train.job.ReadyJob;
import java.util.List;

/**
 * A member on one of several hosts: {@code PlanMember BATCHES STRATEGY}, with its place in the cluster in the environment. The first worker
 * writes the seconds of a batch.
 */
public final class PlanMember {
    /** What the line with the result begins with. */
    static final String RESULT = "@seconds ";

    private PlanMember() {}

    public static void main(String[] arguments) {
        HostTuning.apply();
        Engine.useThreads(1);
        int batches = Integer.parseInt(arguments[0]);
        boolean alone = !ClusterSpec.isInEnvironment();
        if (!alone && !ClusterSpec.fromEnvironment().task().type().equals(ClusterSpec.WORKER)) {
            try (Server server = Server.fromEnvironment()) {
                server.join();
            }
            return;
        }
        Job job = PlannedJob.file(batches)
                .set("strategy", arguments[1], "the strategy of the benchmark")
                .job();
        try (ReadyJob ready = ReadyJob.check(PlannedJob.file(batches));
                Trainer trainer =
                        Trainer.of(ready.model().definition(), job.config()).cores(1)) {
            Launcher place = alone ? Launcher.here() : Cluster.fromEnvironment();
            History history = trainer.fit(
                    ready.train(), Fit.epochs(PlannedJob.EPOCHS).on(place).with(job.strategy()));
            if (alone || ClusterSpec.fromEnvironment().task().index() == 0) {
                List<Double> epochs = history.epochs().stream()
                        .skip(PlannedJob.EPOCHS / 2)
                        .map(epoch -> epoch.seconds() / batches)
                        .sorted()
                        .toList();
                System.out.println(RESULT + epochs.get((epochs.size() - 1) / 2));
            }
        }
    }
}
