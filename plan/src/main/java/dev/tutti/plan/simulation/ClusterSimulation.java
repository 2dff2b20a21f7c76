package dev.tutti.plan.simulation;

import dev.tutti.cluster.coordinator.Event;
import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Report;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Members that join, send heartbeats, meet, make steps, lease chunks, fail and are replaced, in virtual time, over the real coordinator.
 * Messages take the latency of the network; a group's announcement takes as long as its bytes need on the coordinator's link.
 */
public final class ClusterSimulation {
    private static final String DATASET = "training";
    private static final double START_SECONDS = 5;
    private static final double TICK_SECONDS = 0.1;
    /** Steps between two leases of a member. */
    private static final int LEASE_STEPS = 16;

    private final SimulationSettings settings;
    private final MembershipRules rules;
    private final MeteredCoordinator coordinator;
    private final VirtualClock clock = new VirtualClock();
    private final Random random;
    private final Map<String, SimulatedMember> living = new LinkedHashMap<>();
    private final Map<String, SimulatedMember> bySession = new HashMap<>();
    private final List<Double> pauses = new ArrayList<>();
    private int slowMembers; // of those that live
    private long sessions;
    private long joined;
    private long lost;
    private long generation;
    private boolean working; // a group makes steps
    private double brokeAt;
    private double firstGroup = -1;
    private long steps;
    private long repeated;
    private long leases;
    private double finishedAt = -1;
    private double busySeconds;
    private long lostAtLastGroup;
    private long told; // changes that all members have been told

    /** One member; {@code id} is given by the coordinator. */
    private static final class SimulatedMember {
        private final String session;
        private final boolean slow;
        private String id;
        private boolean dead;
        private boolean arrived;
        private int chunk = -1;

        private SimulatedMember(String session, boolean slow) {
            this.session = session;
            this.slow = slow;
        }
    }

    public ClusterSimulation(SimulationSettings settings) {
        this.settings = settings;
        rules = MembershipRules.of(settings.nodes()).patience(Timeouts.DEFAULT);
        coordinator = new MeteredCoordinator(rules);
        random = new Random(settings.seed());
    }

    public ClusterSimulationResult run() {
        long before = usedMemory();
        long began = System.nanoTime();
        for (int i = 0; i < settings.nodes(); i++) {
            clock.in(random.nextDouble() * START_SECONDS, this::join);
        }
        clock.in(TICK_SECONDS, this::tick);
        clock.runUntil(settings.seconds());
        long bytes = Math.max(0, usedMemory() - before);
        double seconds = settings.seconds();
        return new ClusterSimulationResult(
                settings.nodes(),
                seconds,
                joined,
                lost,
                generation,
                firstGroup,
                pauses.stream().mapToDouble(Double::doubleValue).max().orElse(0),
                pauses.stream().mapToDouble(Double::doubleValue).average().orElse(0),
                steps,
                repeated,
                finishedAt,
                busySeconds / seconds,
                leases,
                coordinator.messages(),
                coordinator.bytesOut(),
                coordinator.seconds(),
                coordinator.seconds() / seconds,
                bytes,
                (System.nanoTime() - began) / 1e9);
    }

    private static long usedMemory() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private double latency() {
        return settings.network().latencySeconds();
    }

    private void happen(Event event) {
        for (Fact fact : coordinator.apply(event, clock.now())) {
            if (fact instanceof Fact.Joined one) {
                SimulatedMember member = bySession.get(one.session());
                member.id = one.member();
                living.put(member.id, member);
                slowMembers += member.slow ? 1 : 0;
                joined++;
            } else if (fact instanceof Fact.Lost gone) {
                lose(gone);
            } else if (fact instanceof Fact.Formed formed) {
                form(formed);
            }
        }
    }

    // ---- a member's life

    private void join() {
        String session = "session-" + sessions++;
        SimulatedMember member = new SimulatedMember(session, random.nextDouble() < settings.stragglers());
        bySession.put(session, member);
        happen(new Event.Join(session, null, "worker", "host-" + sessions, "process-" + sessions));
        if (member.id == null) { // all places are taken
            bySession.remove(session);
            return;
        }
        happen(new Event.Connected(member.id));
        clock.in(random.nextDouble() * rules.patience().heartbeat() / 1000.0, () -> heartbeat(member));
        if (!settings.failures().isNone()) {
            clock.in(-Math.log(1 - random.nextDouble()) / settings.failures().perSecond(), () -> fail(member));
        }
        meet(member, 0);
    }

    private void heartbeat(SimulatedMember member) {
        if (member.dead || !living.containsKey(member.id)) {
            return;
        }
        double busy = settings.stepSeconds() * (member.slow ? settings.slowness() : 1);
        happen(new Event.Heartbeat(member.id, new Report(0, steps, -1, busy, 1)));
        clock.in(rules.patience().heartbeat() / 1000.0, () -> heartbeat(member));
    }

    private void fail(SimulatedMember member) {
        if (member.dead || !living.containsKey(member.id)) {
            return;
        }
        member.dead = true;
        interrupt();
        if (random.nextBoolean()) {
            happen(new Event.Disconnected(member.id));
        }
        clock.in(settings.rejoinSeconds(), this::join);
    }

    private void lose(Fact.Lost gone) {
        lost++;
        SimulatedMember member = living.remove(gone.member());
        if (member != null) {
            bySession.remove(member.session);
            slowMembers -= member.slow ? 1 : 0;
            interrupt();
            if (!member.dead) { // given up although it lives: it comes back as a new member
                member.dead = true;
                clock.in(latency(), this::join);
            }
        }
    }

    private void meet(SimulatedMember member, double after) {
        clock.in(after + latency(), () -> {
            if (!member.dead && !member.arrived && living.containsKey(member.id)) {
                member.arrived = true;
                happen(new Event.Meet(member.id, generation, steps, List.of()));
            }
        });
    }

    // ---- groups and steps

    /** A member has failed or is missing: the step under way comes to nothing. */
    private void interrupt() {
        if (working) {
            working = false;
            brokeAt = clock.now();
            repeated += settings.inLockstep() ? 1 : 0;
        }
    }

    private void form(Fact.Formed formed) {
        long before = generation;
        generation = formed.generation();
        int changed = before == 0
                ? formed.members().size()
                : (int) Math.min(formed.members().size(), 2 + lostSince());
        coordinator.tellGroup(formed.members().size(), changed);
        double announcement = formed.members().size()
                * (60.0 + 55.0 * changed)
                / settings.network().bytesPerSecond();
        for (String id : formed.members()) {
            living.get(id).arrived = false;
        }
        long mine = generation;
        clock.in(announcement + latency(), () -> begin(mine, formed.members().size()));
    }

    private long lostSince() {
        long since = lost - lostAtLastGroup;
        lostAtLastGroup = lost;
        return since;
    }

    private void begin(long mine, int members) {
        if (mine != generation) {
            return;
        }
        if (firstGroup < 0) {
            firstGroup = clock.now();
        } else {
            pauses.add(clock.now() - brokeAt);
        }
        working = true;
        happen(new Event.Begin(first(), DATASET, epoch(), chunks(), List.of()));
        step(mine, members);
    }

    private String first() {
        return living.keySet().iterator().next();
    }

    private int epoch() {
        return Math.toIntExact(steps / 10_000);
    }

    private int chunks() {
        return 64 * settings.nodes();
    }

    private void step(long mine, int members) {
        boolean slow = settings.inLockstep() && slowMembers > 0;
        double seconds = settings.stepSeconds() * (slow ? settings.slowness() : 1);
        clock.in(seconds, () -> {
            if (!working || mine != generation) {
                return;
            }
            steps++;
            busySeconds += seconds;
            if (steps == settings.steps()) {
                finishedAt = clock.now();
            }
            if (steps % LEASE_STEPS == 0) {
                List.copyOf(living.values()).forEach(this::lease);
            }
            if (working) {
                step(mine, members);
            }
        });
    }

    /** A member says that it has used its chunk, and asks for the next. */
    private void lease(SimulatedMember member) {
        if (member.dead) {
            return;
        }
        if (member.chunk >= 0) {
            happen(new Event.Use(member.id, DATASET, epoch(), List.of(member.chunk)));
            member.chunk = -1;
        }
        leases++;
        Event.Lease asked = new Event.Lease(member.id, DATASET, epoch(), List.of(), ChunkPreference.NONE);
        for (Fact fact : coordinator.apply(asked, clock.now())) {
            member.chunk = fact instanceof Fact.Leased one ? one.chunk() : member.chunk;
        }
    }

    /** The coordinator looks at its clock; members are told of changes by then, and meet again if they must. */
    private void tick() {
        happen(new Event.Tick());
        long changes = joined + lost + generation;
        if (changes != told) {
            told = changes;
            for (SimulatedMember member : List.copyOf(living.values())) {
                boolean again = coordinator.notice(member.id).changed() != null;
                if (again && !member.dead && !member.arrived && generation > 0) {
                    interrupt();
                    meet(member, latency() + random.nextDouble() * 0.05);
                }
            }
        }
        clock.in(TICK_SECONDS, this::tick);
    }
}
