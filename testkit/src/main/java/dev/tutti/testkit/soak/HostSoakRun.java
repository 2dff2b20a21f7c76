package dev.tutti.testkit.soak;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.testkit.LinkShape;
import dev.tutti.testkit.ManualCluster;
import dev.tutti.testkit.NetworkHosts;
import dev.tutti.testkit.Scenario;
import dev.tutti.testkit.TrainingScenario;
import dev.tutti.testkit.fault.Fault;
import dev.tutti.testkit.fault.FaultSchedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One run of the soak over hosts, drawn from a seed: a member on each host, over TLS, and what happens to members and to the network between
 * them. The first host, which runs the coordinator, is spared.
 */
final class HostSoakRun {
    private static final int STEPS = 30;
    private static final int EPOCHS = 2;
    private static final int MOST_FAULTS = 3;
    private static final LinkShape SOUND = LinkShape.megabits(1000).delay(0.5);

    private final long seed;
    private final NetworkHosts hosts;
    private final int members;
    private final FaultSchedule schedule;

    HostSoakRun(long seed, NetworkHosts hosts, int members) {
        this.seed = seed;
        this.hosts = hosts;
        this.members = members;
        for (int host = 0; host < members; host++) {
            hosts.shape(host, SOUND);
        }
        schedule = draw(new Random(seed));
    }

    private FaultSchedule draw(Random random) {
        FaultSchedule drawn = FaultSchedule.CALM;
        int faults = 1 + random.nextInt(MOST_FAULTS);
        for (int i = 0; i < faults; i++) {
            int victim = 1 + random.nextInt(members - 1);
            for (FaultSchedule.Strike strike : fault(random, victim)) {
                drawn = drawn.and(strike).schedule();
            }
        }
        return drawn;
    }

    private List<FaultSchedule.Strike> fault(Random random, int victim) {
        int epoch = 1 + random.nextInt(EPOCHS);
        long step = random.nextInt(STEPS + 1);
        int cured = 200 + random.nextInt(6000);
        return switch (random.nextInt(6)) {
            case 0 -> List.of(at(epoch, step, 0, new Fault.Kill(victim)));
            case 1 ->
                List.of(at(epoch, step, 0, new Fault.Hang(victim)), at(epoch, step, cured, new Fault.Resume(victim)));
            case 2 ->
                changed(
                        epoch,
                        step,
                        cured,
                        "host " + victim + " is cut off",
                        () -> hosts.partition(List.of(victim)),
                        () -> hosts.healPartition(List.of(victim)));
            case 3 -> {
                int other = 1 + (victim + random.nextInt(Math.max(1, members - 2))) % (members - 1);
                int to = other == victim ? 0 : other;
                yield changed(
                        epoch,
                        step,
                        cured,
                        "nothing from host " + victim + " reaches host " + to,
                        () -> hosts.cut(victim, to),
                        () -> hosts.heal(victim, to));
            }
            case 4 -> changedLink(epoch, step, cured, victim, "5% of its packets are lost", SOUND.loss(5));
            default ->
                changedLink(
                        epoch,
                        step,
                        cured,
                        victim,
                        "it has 20 Mbit/s and 50 ms",
                        LinkShape.megabits(20).delay(50));
        };
    }

    private static FaultSchedule.Strike at(int epoch, long step, long millis, Fault fault) {
        return new FaultSchedule.Strike(epoch, step, millis, fault);
    }

    private List<FaultSchedule.Strike> changedLink(
            int epoch, long step, int cured, int victim, String what, LinkShape link) {
        return changed(
                epoch,
                step,
                cured,
                "host " + victim + ": " + what,
                () -> hosts.shape(victim, link),
                () -> hosts.shape(victim, SOUND));
    }

    private static List<FaultSchedule.Strike> changed(
            int epoch, long step, int cured, String what, Runnable change, Runnable back) {
        List<FaultSchedule.Strike> strikes = new ArrayList<>();
        strikes.add(at(epoch, step, 0, new Fault.NetworkChange(what, change)));
        strikes.add(at(epoch, step, cured, new Fault.NetworkChange("no more: " + what, back)));
        return strikes;
    }

    long seed() {
        return seed;
    }

    FaultSchedule schedule() {
        return schedule;
    }

    private MembershipRules rules() {
        return MembershipRules.of(members)
                .between(1, members)
                .patience(Timeouts.DEFAULT
                        .start(Duration.ofSeconds(60))
                        .collective(Duration.ofSeconds(10))
                        .heartbeats(Duration.ofMillis(500), Duration.ofMillis(1500), Duration.ofSeconds(3)));
    }

    Scenario stage() {
        return new Scenario(TrainingScenario.joined().steps(STEPS, EPOCHS), members, rules(), schedule);
    }

    ManualCluster cluster(Path folder) {
        return new ManualCluster(members, rules(), folder).on(hosts, "host").withTls();
    }
}
