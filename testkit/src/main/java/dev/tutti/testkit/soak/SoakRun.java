package dev.tutti.testkit.soak;

import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.strategy.Strategies;
import dev.tutti.testkit.Scenario;
import dev.tutti.testkit.TrainingScenario;
import dev.tutti.testkit.fault.Fault;
import dev.tutti.testkit.fault.FaultSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One run of the soak, drawn from a seed: how many members of which kind, and what happens to them.
 *
 * @param seed what all was drawn from
 * @param byHand whether members are started by hand with a coordinator of their own; else by a driver
 * @param members that train, at the start
 * @param servers that hold the parameters, each with a copy of the other's; 0: members sum their gradients among themselves
 * @param schedule what happens
 */
public record SoakRun(long seed, boolean byHand, int members, int servers, FaultSchedule schedule) {
    static final int STEPS = 40;
    static final int EPOCHS = 2;
    static final Duration SILENCE = Duration.ofSeconds(3);
    private static final int MOST_FAULTS = 3;

    static SoakRun draw(long seed) {
        Random random = new Random(seed);
        boolean byHand = random.nextInt(3) == 0;
        int members = 2 + random.nextInt(2);
        List<FaultSchedule.Strike> strikes = new ArrayList<>();
        // The driver takes all others with it; members started by hand may all be killed but one.
        int spared = byHand ? random.nextInt(members) : 0;
        int faults = 1 + random.nextInt(MOST_FAULTS);
        for (int i = 0; i < faults; i++) {
            int victim = (spared + 1 + random.nextInt(members - 1)) % members;
            strikes.addAll(fault(random, byHand, victim));
        }
        Random others = new Random(~seed); // of its own, so that the rest is what it was for a seed
        int servers = !byHand && others.nextInt(3) == 0 ? 2 : 0;
        if (servers > 0) {
            strikes.addAll(serverFault(others, others.nextInt(servers)));
        }
        FaultSchedule schedule = FaultSchedule.CALM;
        for (FaultSchedule.Strike strike : strikes) {
            schedule = schedule.and(strike).schedule();
        }
        return new SoakRun(seed, byHand, members, servers, schedule);
    }

    /** A fault anywhere: at a step, or within what comes after it, such as validation or a meeting; and what undoes it. */
    private static List<FaultSchedule.Strike> fault(Random random, boolean byHand, int victim) {
        int epoch = 1 + random.nextInt(EPOCHS + 1);
        long step = epoch > EPOCHS ? 0 : random.nextInt(4) == 0 ? STEPS : random.nextInt(STEPS + 1);
        long millis = random.nextInt(3) == 0 ? random.nextInt(400) : 0;
        int cured = 200 + random.nextInt(6000);
        int kind = random.nextInt(byHand ? 7 : 4);
        return switch (kind) {
            case 0, 1 -> List.of(new FaultSchedule.Strike(epoch, step, millis, new Fault.Kill(victim)));
            case 2 ->
                List.of(
                        new FaultSchedule.Strike(epoch, step, millis, new Fault.Hang(victim)),
                        new FaultSchedule.Strike(epoch, step, millis + cured, new Fault.Resume(victim)));
            case 3 ->
                List.of(
                        new FaultSchedule.Strike(epoch, step, millis, new Fault.Slow(victim, 2 + random.nextInt(6))),
                        new FaultSchedule.Strike(epoch, step, millis + cured, new Fault.Slow(victim, 1)));
            case 4 ->
                List.of(
                        new FaultSchedule.Strike(epoch, step, millis, new Fault.KillCoordinator()),
                        new FaultSchedule.Strike(epoch, step, millis + cured / 3, new Fault.StartCoordinator()));
            case 5 ->
                List.of(new FaultSchedule.Strike(
                        epoch, step, millis, new Fault.Cut(victim, Duration.ofMillis(cured / 3))));
            default -> List.of(new FaultSchedule.Strike(Math.min(epoch, EPOCHS), step, millis, new Fault.Join()));
        };
    }

    /** One server at most: there is one copy of what it holds. It is killed, or stops and goes on when it may have been given up. */
    private static List<FaultSchedule.Strike> serverFault(Random random, int server) {
        int epoch = 1 + random.nextInt(EPOCHS);
        long step = random.nextInt(STEPS + 1);
        long millis = random.nextInt(3) == 0 ? random.nextInt(400) : 0;
        if (random.nextBoolean()) {
            return List.of(new FaultSchedule.Strike(epoch, step, millis, new Fault.SignalServer(server, "KILL")));
        }
        int cured = 200 + random.nextInt(6000);
        return List.of(
                new FaultSchedule.Strike(epoch, step, millis, new Fault.SignalServer(server, "STOP")),
                new FaultSchedule.Strike(epoch, step, millis + cured, new Fault.SignalServer(server, "CONT")));
    }

    TrainingScenario training() {
        if (byHand) {
            return TrainingScenario.joined().steps(STEPS, EPOCHS);
        }
        TrainingScenario scenario = TrainingScenario.on(Cluster.processes(members + servers)
                        .restarts(2 + servers)
                        .goneAfter(SILENCE))
                .steps(STEPS, EPOCHS);
        return servers == 0
                ? scenario
                : scenario.on(
                        Strategies.parameterServer().servers(servers).backups(1).patience(Duration.ofSeconds(30)));
    }

    MembershipRules rules() {
        return MembershipRules.of(members)
                .between(1, members + MOST_FAULTS)
                .patience(Timeouts.DEFAULT
                        .start(Duration.ofSeconds(30)) // who joins when all others are done waits for them that long
                        .heartbeats(Duration.ofMillis(500), Duration.ofMillis(1500), SILENCE));
    }

    Scenario stage() {
        return new Scenario(training(), byHand ? members : 0, byHand ? rules() : null, schedule);
    }

    @Override
    public String toString() {
        return "seed " + seed + ": " + members + (byHand ? " by hand" : " driven")
                + (servers > 0 ? ", " + servers + " servers: " : ": ") + schedule;
    }
}
