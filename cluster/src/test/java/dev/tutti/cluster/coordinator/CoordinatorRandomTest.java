package dev.tutti.cluster.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.tutti.comm.Leases;
import dev.tutti.comm.Report;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Events in any order: whatever happens, generations rise, each chunk is used once, nobody waits for ever, and the journal alone,
 * or a summary of it, gives the same knowledge. A failure names its seed; {@code -Dtutti.seed=...} runs that one alone.
 */
@Timeout(100)
class CoordinatorRandomTest {
    private static final int CHUNKS = 12;
    private static final String SERVER = "server";

    @Test
    void whateverHappens() {
        Long only = Long.getLong("tutti.seed");
        long first = only != null ? only : System.nanoTime();
        int formed = 0;
        for (long seed = first; seed < first + (only != null ? 1 : 60); seed++) {
            try {
                formed += new Chaos(seed).run();
            } catch (AssertionError | RuntimeException e) {
                fail("with -Dtutti.seed=" + seed, e);
            }
        }
        if (only == null) {
            assertThat(formed).as("groups that were formed on the way").isGreaterThan(60);
        }
    }

    /** One random course of events. */
    private static final class Chaos {
        private final Random random;
        private final MembershipRules rules;
        private final TestingJob job;
        private final List<String> everybody = new ArrayList<>();
        private final Map<String, Set<Integer>> held = new HashMap<>();
        private final Map<String, Long> generations = new HashMap<>();
        private final Set<String> lost = new HashSet<>();
        private final Set<Integer> used = new HashSet<>();
        private final Map<String, Fact.Formed> formedGroups = new HashMap<>();
        private final Map<String, Fact.Owned> owned = new HashMap<>();
        private int groups;
        private long step;

        Chaos(long seed) {
            random = new Random(seed);
            int min = 1 + random.nextInt(3);
            int expected = min + random.nextInt(3);
            rules = new MembershipRules(
                            min, expected + random.nextInt(3), expected, random.nextBoolean() ? 0 : 3, Timeouts.DEFAULT)
                    .role(SERVER, new RoleRules(2, 1, 3));
            job = new TestingJob(rules);
        }

        /** Runs it; returns how many groups were formed. */
        int run() {
            for (int i = 0; i < 150; i++) {
                job.now += random.nextInt(10) == 0 ? random.nextInt(20_000) : random.nextInt(600);
                happen(event());
            }
            comeToAnEnd();
            return groups;
        }

        private void happen(Event event) {
            String before = job.coordinator.knowledge();
            try {
                List<Fact> facts = job.apply(event);
                look(facts);
                if (facts.isEmpty()) {
                    assertThat(job.coordinator.knowledge()).isEqualTo(before);
                    return;
                }
            } catch (RefusedException e) {
                assertThat(job.coordinator.knowledge())
                        .as("a refused %s changes nothing", event)
                        .isEqualTo(before);
            }
            assertThat(TestingJob.reborn(rules, job.journal).knowledge())
                    .as("the journal after %s", event)
                    .isEqualTo(job.coordinator.knowledge());
            assertThat(TestingJob.reborn(rules, job.coordinator.summary(job.now))
                            .knowledge())
                    .as("the summary after %s", event)
                    .isEqualTo(job.coordinator.knowledge());
        }

        private void look(List<Fact> facts) {
            for (Fact fact : facts) {
                if (fact instanceof Fact.Joined joined && !everybody.contains(joined.member())) {
                    everybody.add(joined.member());
                    held.put(joined.member(), new HashSet<>());
                } else if (fact instanceof Fact.Lost gone) {
                    assertThat(lost.add(gone.member())).as("lost once").isTrue();
                    held.get(gone.member()).clear();
                } else if (fact instanceof Fact.Begun begun && begun.epoch() > 1) {
                    forgetTheLedger();
                } else if (fact instanceof Fact.Formed formed) {
                    Fact.Formed before = formedGroups.put(formed.role(), formed);
                    List<String> group = before == null ? List.of() : before.members();
                    if (formed.ofWorkers() && Collections.disjoint(group, formed.members())) {
                        forgetTheLedger();
                    }
                    assertThat(formed.generation()).isGreaterThan(before == null ? 0 : before.generation());
                    groups++;
                    assertThat(formed.members())
                            .noneMatch(lost::contains)
                            .doesNotHaveDuplicates()
                            .allMatch(member -> member.startsWith(formed.role()));
                    MembershipRules asked = rules.of(formed.role());
                    assertThat(formed.members().size()).isBetween(asked.min(), asked.max());
                    formed.members().forEach(member -> generations.put(member, formed.generation()));
                } else if (fact instanceof Fact.Leased leased) {
                    assertThat(used).doesNotContain(leased.chunk());
                    held.forEach((member, chunks) -> {
                        if (!member.equals(leased.member())) {
                            assertThat(chunks).doesNotContain(leased.chunk());
                        }
                    });
                    held.get(leased.member()).add(leased.chunk());
                } else if (fact instanceof Fact.Used said) {
                    for (int chunk : said.chunks()) {
                        assertThat(used.add(chunk))
                                .as("chunk %d is used once", chunk)
                                .isTrue();
                        held.get(said.member()).remove(chunk);
                    }
                } else if (fact instanceof Fact.Owned now) {
                    lookAtHolders(now);
                } else if (fact instanceof Fact.GivenBack back) {
                    held.get(back.member()).clear();
                }
            }
        }

        /** Terms never fall, and rise when another one is first; nobody holds what it cannot. */
        private void lookAtHolders(Fact.Owned now) {
            Fact.Owned before = owned.put(now.thing(), now);
            assertThat(now.holders()).noneMatch(lost::contains).doesNotHaveDuplicates();
            if (before != null) {
                boolean sameFirst = !before.holders().isEmpty()
                        && !now.holders().isEmpty()
                        && before.holders().get(0).equals(now.holders().get(0));
                assertThat(now.term()).isEqualTo(sameFirst ? before.term() : before.term() + 1);
            }
        }

        private long generationOf(String member) {
            Fact.Formed formed = formedGroups.get(member.startsWith(SERVER) ? SERVER : MemberRecord.WORKER);
            return formed == null ? 0 : formed.generation();
        }

        /** Nobody is left who knew of it, or members are at another epoch. */
        private void forgetTheLedger() {
            used.clear();
            held.values().forEach(Set::clear);
        }

        private Event event() {
            String member = everybody.isEmpty() ? "worker-0" : everybody.get(random.nextInt(everybody.size()));
            return switch (random.nextInt(27)) {
                case 0, 1 ->
                    new Event.Join(
                            "s" + random.nextInt(40),
                            null,
                            MemberRecord.WORKER,
                            "here",
                            "p" + random.nextInt(9),
                            0,
                            "m" + random.nextInt(3),
                            random.nextInt(10) == 0 ? Map.of("seed", "8") : Map.of());
                case 22 -> new Event.Join("v" + random.nextInt(20), null, SERVER, "here", "p" + random.nextInt(9));
                case 23 -> new Event.Announce(member, "address" + random.nextInt(3));
                case 24 -> new Event.Claim(member, "shard-" + random.nextInt(3));
                case 25 -> assign(member);
                case 2 -> new Event.Leave(member, "ends");
                case 3 -> new Event.Exited("p" + random.nextInt(9), "ended");
                case 4, 5, 6 ->
                    new Event.Heartbeat(member, new Report(0, step++, -1, random.nextInt(8) == 0 ? 1 : 0.1, 0));
                case 7 -> new Event.Connected(member);
                case 8 -> new Event.Disconnected(member);
                case 9, 10, 11, 12 ->
                    new Event.Meet(
                            member,
                            generations.getOrDefault(member, 0L),
                            random.nextInt(3),
                            random.nextInt(4) == 0 ? List.of(everybody.isEmpty() ? "x" : everybody.get(0)) : List.of());
                case 13 -> new Event.Post(member, generationOf(member), "n" + random.nextInt(5), "note");
                case 14 -> new Event.Begin(member, random.nextInt(6) == 0 ? random.nextInt(7) : 0, CHUNKS, List.of());
                case 15, 16 -> new Event.Lease(member, 0, List.copyOf(held.getOrDefault(member, Set.of())));
                case 17 -> new Event.Use(member, 0, List.copyOf(held.getOrDefault(member, Set.of())));
                case 18 -> new Event.Use(member, 0, List.of(random.nextInt(CHUNKS)));
                case 19 -> new Event.GiveBack(member, 0);
                case 20 -> new Event.Configure("k" + random.nextInt(3), random.nextBoolean() ? "v" : null);
                default -> new Event.Tick();
            };
        }

        /** Mostly by the holder, with backups; sometimes by another one, or under an old term. */
        private Event assign(String member) {
            String thing = "shard-" + random.nextInt(3);
            Fact.Owned now = owned.get(thing);
            if (now == null || now.holders().isEmpty()) {
                return new Event.Assign(member, thing, 1, List.of(member));
            }
            String by = random.nextInt(4) == 0 ? member : now.holders().get(0);
            List<String> holders = new ArrayList<>(now.holders());
            holders.add(random.nextInt(holders.size() + 1), member);
            return new Event.Assign(by, thing, now.term() - random.nextInt(2), holders);
        }

        /** All that live come together: within bounded time each of them has a group or is told why not. */
        private void comeToAnEnd() {
            if (living().isEmpty()) {
                job.now += 1;
                happen(new Event.Join("the last", null, MemberRecord.WORKER, "here", "p"));
            }
            Set<String> waiting = new HashSet<>(living());
            for (String member : List.copyOf(waiting)) {
                happen(new Event.Connected(member));
                happen(new Event.Meet(member, generations.getOrDefault(member, 0L), 1, List.of()));
            }
            Timeouts patience = rules.patience();
            long limit = job.now + patience.start() + patience.meeting() + patience.tooFew() + 10_000;
            while (!waiting.isEmpty() && job.now < limit) {
                job.now += 200;
                for (String member : living()) {
                    if (!lost.contains(member)) {
                        look(job.apply(new Event.Heartbeat(member, null)));
                    }
                }
                look(job.apply(new Event.Tick()));
                waiting.removeIf(member -> {
                    try {
                        return job.coordinator
                                .groupOf(member, generations.getOrDefault(member, 0L) - 1)
                                .isPresent();
                    } catch (RefusedException told) {
                        return true;
                    }
                });
            }
            assertThat(waiting).as("nobody waits for ever").isEmpty();
            useAllThatIsLeft();
        }

        private void useAllThatIsLeft() {
            if (living().isEmpty()) {
                happen(new Event.Join("the very last", null, MemberRecord.WORKER, "here", "p"));
            }
            for (String member : living()) {
                happen(new Event.Begin(member, 0, CHUNKS, List.of()));
                happen(new Event.GiveBack(member, 0));
            }
            String last = living().get(0);
            for (int i = 0; i < CHUNKS; i++) {
                happen(new Event.Lease(last, 0, List.copyOf(held.get(last))));
            }
            happen(new Event.Use(last, 0, List.copyOf(held.get(last))));
            assertThat(used)
                    .as("every chunk is used, those of lost members too")
                    .hasSize(CHUNKS);
            assertThat(job.coordinator.used(Leases.TRAINING, 0)).hasSize(CHUNKS);
        }

        private List<String> living() {
            return everybody.stream().filter(member -> !lost.contains(member)).toList();
        }
    }
}
