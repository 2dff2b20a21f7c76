package dev.tutti.cluster.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tutti.cluster.supervision.FailureDetector.State;
import dev.tutti.cluster.supervision.StepPaces;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Report;
import dev.tutti.json.Json;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(20)
class CoordinatorTest {
    @Test
    void theFirstMeetingWaitsForAllThatAreExpected() {
        TestingJob job = new TestingJob(MembershipRules.of(3));
        List<String> ids = job.join(3);
        job.meet(0, ids.get(2), ids.get(0));
        job.pass(TestingJob.PATIENCE.start() - 200);
        assertThat(job.generation()).isZero();
        job.meet(0, ids.get(1));
        assertThat(job.generation()).isEqualTo(1);
        assertThat(job.group()).containsExactly("worker-0", "worker-1", "worker-2");
    }

    @Test
    void theFirstMeetingGoesOnWithEnough() {
        TestingJob job = new TestingJob(MembershipRules.of(3));
        job.meet(0, job.join(2));
        job.pass(TestingJob.PATIENCE.start() + 200);
        assertThat(job.group()).hasSize(2);
    }

    @Test
    void theFirstMeetingFailsWithTooFew() {
        TestingJob job = new TestingJob(MembershipRules.of(3).between(3, 3));
        job.meet(0, job.join(2));
        job.pass(TestingJob.PATIENCE.start() + 200);
        assertThatThrownBy(() -> job.coordinator.groupOf("worker-0", 0))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("expected at least 3 members, but only worker-0, worker-1 are here after 60.0 s")
                .hasMessageContaining("worker-2 has never joined")
                .satisfies(e -> assertThat(((RefusedException) e).members()).containsExactly("worker-2"));
    }

    @Test
    void whoMayTakeLongForAStepMayTakeAsLongToMeet() {
        Timeouts patience = TestingJob.PATIENCE.collective(Duration.ofMinutes(2));
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2).patience(patience), 2);
        job.meet(1, "worker-0");
        assertThat(job.pass(119_000)).isEmpty();
        job.meet(1, "worker-1");
        assertThat(job.group()).containsExactly("worker-0", "worker-1");
        job.meet(2, "worker-0");
        job.pass(121_000);
        assertThat(job.group()).containsExactly("worker-0");
    }

    @Test
    void ranksFollowTheNumbersMembersWishFor() {
        TestingJob job = new TestingJob(MembershipRules.of(3));
        List<String> ids = List.of(job.join("worker-10"), job.join("worker-2"), job.join("worker-2"));
        assertThat(ids).containsExactly("worker-10", "worker-2", "worker-11");
        job.meet(0, ids);
        assertThat(job.group()).containsExactly("worker-2", "worker-10", "worker-11");
    }

    @Test
    void aMemberThatComesBackHasANamePeopleRecognise() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2).between(1, 4), 2);
        job.apply(new Event.Leave("worker-1", "slept"));
        assertThat(job.join("worker-1")).isEqualTo("worker-1b");
        job.apply(new Event.Leave("worker-1b", "slept"));
        assertThat(job.join("worker-1")).isEqualTo("worker-1c");
        assertThat(job.join(null)).isEqualTo("worker-2");
    }

    @Test
    void machinesWithTheSameNameAreToldApart() {
        TestingJob job = new TestingJob(MembershipRules.of(4));
        for (String machine : List.of("a", "b", "a", "c")) {
            job.apply(new Event.Join(
                    "s" + job.coordinator.overview(job.now).members().size(),
                    null,
                    MemberRecord.WORKER,
                    "localhost",
                    "p",
                    0,
                    machine,
                    java.util.Map.of()));
        }
        assertThat(job.coordinator.overview(job.now).members())
                .extracting(Overview.Line::host)
                .containsExactly("localhost", "localhost~2", "localhost", "localhost~3");
    }

    @Test
    void joiningTwiceWithOneSessionGivesOneMember() {
        TestingJob job = new TestingJob(MembershipRules.of(1));
        Event.Join join = new Event.Join("secret", null, MemberRecord.WORKER, "here", "p");
        assertThat(job.apply(join).get(0)).isEqualTo(job.apply(join).get(0));
        assertThat(job.coordinator.overview(job.now).members()).hasSize(1);
    }

    @Test
    void moreThanTheMostAreRefused() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        assertThatThrownBy(() -> job.join("worker-7"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("all 2 places are taken");
    }

    @Test
    void silenceIsSuspectedThenGivenUp() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.silence("worker-1");
        job.pass(1_900);
        assertThat(job.state("worker-1")).isEqualTo(State.ALIVE);
        job.pass(200);
        assertThat(job.state("worker-1")).isEqualTo(State.UNRESPONSIVE);
        job.pass(7_700);
        assertThat(job.state("worker-1")).isEqualTo(State.UNRESPONSIVE);
        List<Fact> facts = job.pass(400);
        assertThat(facts).singleElement().isInstanceOfSatisfying(Fact.Lost.class, lost -> {
            assertThat(lost.cause()).isEqualTo(LossCause.SILENT);
            assertThat(lost.why()).contains("nothing was heard of it for 10.0 s, the limit is 10.0 s");
        });
        assertThat(job.coordinator.notice("worker-0").changed()).contains("worker-1 is gone");
        assertThat(job.state("worker-1")).isEqualTo(State.GONE);
        job.meet(3, "worker-0");
        assertThat(job.group()).containsExactly("worker-0");
    }

    @Test
    void aSuspectThatIsHeardOfAgainStays() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.silence("worker-1");
        job.pass(9_000);
        job.apply(new Event.Heartbeat("worker-1", null));
        job.pass(1_500);
        assertThat(job.state("worker-1")).isEqualTo(State.ALIVE);
        assertThat(job.coordinator.notice("worker-0").changed()).isNull();
    }

    @Test
    void theCoordinatorsOwnSleepIsNotHeldAgainstAnybody() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.pass(1_000);
        job.now += 60_000;
        assertThat(job.apply(new Event.Tick())).isEmpty();
        assertThat(job.pass(5_000)).isEmpty();
        job.meet(1, "worker-0");
        job.now += 60_000;
        job.meet(1, "worker-1");
        assertThat(job.group()).as("it slept in the middle of a meeting").hasSize(2);
    }

    @Test
    void aCoordinatorThatIsAlwaysLateStillGivesUpTheSilent() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        for (int i = 0; i < 100; i++) {
            job.now += 900;
            job.apply(new Event.Heartbeat("worker-0", null));
            job.apply(new Event.Tick());
        }
        assertThat(job.state("worker-1")).isEqualTo(State.GONE);
        assertThat(job.state("worker-0")).isEqualTo(State.ALIVE);
    }

    @Test
    void aBrokenConnectionIsGivenUpSooner() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(3), 3);
        job.apply(new Event.Disconnected("worker-1"));
        job.apply(new Event.Disconnected("worker-2"));
        assertThat(job.state("worker-1")).isEqualTo(State.UNRESPONSIVE);
        job.pass(200);
        job.apply(new Event.Connected("worker-2"));
        job.silence("worker-1");
        assertThat(job.pass(400)).singleElement().isInstanceOfSatisfying(Fact.Lost.class, lost -> {
            assertThat(lost.member()).isEqualTo("worker-1");
            assertThat(lost.cause()).isEqualTo(LossCause.DISCONNECTED);
        });
    }

    @Test
    void aProcessThatEndedTakesItsMembersAlong() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.meet(5, "worker-0");
        List<Fact> facts = job.apply(new Event.Exited("process of session 1", "was killed"));
        assertThat(facts).hasSize(2);
        assertThat(job.group()).containsExactly("worker-0");
        assertThat(job.generation()).isEqualTo(2);
    }

    @Test
    void whoIsAccusedAndUnresponsiveIsGivenUpAtOnce() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(3), 3);
        job.silence("worker-2");
        job.pass(3_000);
        job.apply(new Event.Meet("worker-0", 1, 7, List.of("worker-2")));
        assertThat(job.generation()).as("worker-1 is still to come").isEqualTo(1);
        job.meet(7, "worker-1");
        assertThat(job.group()).containsExactly("worker-0", "worker-1");
    }

    @Test
    void whoIsAccusedButAliveGetsAWhileToCome() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.apply(new Event.Meet("worker-0", 1, 7, List.of("worker-1")));
        job.pass(800);
        assertThat(job.generation()).isEqualTo(1);
        job.meet(7, "worker-1");
        assertThat(job.group()).hasSize(2);
        job.apply(new Event.Meet("worker-0", 2, 8, List.of("worker-1")));
        assertThat(job.pass(1_200)).anySatisfy(fact -> assertThat(fact).isInstanceOf(Fact.Lost.class));
        assertThat(job.group()).containsExactly("worker-0");
    }

    @Test
    void whoDoesNotComeToAMeetingIsGivenUp() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(3), 3);
        job.meet(4, "worker-0", "worker-2");
        assertThat(job.coordinator.notice("worker-1").changed()).contains("meets again");
        List<Fact> facts = job.pass(TestingJob.PATIENCE.meeting() + 200);
        assertThat(facts.get(0))
                .isInstanceOfSatisfying(
                        Fact.Lost.class, lost -> assertThat(lost.cause()).isEqualTo(LossCause.ABSENT));
        assertThat(job.group()).containsExactly("worker-0", "worker-2");
    }

    @Test
    void theFurthestStateIsTakenOver() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(3), 3);
        job.meet(10, "worker-0");
        job.meet(11, "worker-1", "worker-2");
        Fact.Formed group = job.coordinator.groupOf("worker-0", 1).orElseThrow();
        assertThat(group.source()).isEqualTo(1);
        assertThat(group.takeOver()).isTrue();
        job.meet(11, "worker-0", "worker-1", "worker-2");
        assertThat(job.coordinator.groupOf("worker-0", 2).orElseThrow().takeOver())
                .isFalse();
    }

    @Test
    void whoWasAwayTakesOverHoweverFarItIs() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.apply(new Event.Leave("worker-0", "slept"));
        job.meet(5, "worker-1");
        String back = job.join(null);
        job.meet(9, back);
        assertThat(job.coordinator.notice("worker-1").changed()).contains("worker-2 wants to join");
        job.meet(5, "worker-1");
        Fact.Formed group = job.coordinator.groupOf(back, 0).orElseThrow();
        assertThat(group.members().get(group.source())).isEqualTo("worker-1");
        assertThat(group.takeOver()).isTrue();
    }

    @Test
    void aMemberThatIsGoneIsRefused() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.apply(new Event.Exited("process of session 1", "was stopped"));
        assertThatThrownBy(() -> job.apply(new Event.Heartbeat("worker-1", null)))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.kind()).isEqualTo(RefusedException.Kind.GONE))
                .hasMessageContaining("its process was stopped")
                .hasMessageContaining("may join as a new member");
        assertThatThrownBy(() -> job.apply(new Event.Post("worker-1", 1, "a", "b")))
                .isInstanceOf(RefusedException.class);
    }

    @Test
    void tooFewAreToldAfterAWhile() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2).between(2, 2), 2);
        job.apply(new Event.Exited("process of session 1", "ended with code 137"));
        job.meet(5, "worker-0");
        job.pass(TestingJob.PATIENCE.tooFew() - 200);
        assertThat(job.coordinator.groupOf("worker-0", 1)).isEmpty();
        job.pass(400);
        assertThatThrownBy(() -> job.coordinator.groupOf("worker-0", 1))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.members()).containsExactly("worker-1"))
                .hasMessageContaining("missing: worker-1 on here, gone since 1970-01-01T00:16:40Z (30.0 s ago)")
                .hasMessageContaining("ended with code 137");
        job.meet(5, "worker-0");
        job.meet(-1, job.join("worker-5"));
        assertThat(job.group()).containsExactly("worker-0", "worker-5");
    }

    @Test
    void slowMembersAreSentAwayIfAskedFor() {
        for (double limit : new double[] {0, 3}) {
            TestingJob job = TestingJob.withGroup(MembershipRules.of(3).ejectSlowerThan(limit), 3);
            for (int step = 0; step < 2 * StepPaces.ENOUGH; step++) {
                for (String member : job.group()) {
                    job.report(member, step, member.equals("worker-1") ? 0.5 : 0.1);
                    if (!job.coordinator.notice("worker-0").lost().isEmpty()) {
                        break;
                    }
                }
                if (!job.coordinator.notice("worker-0").lost().isEmpty()) {
                    break;
                }
            }
            assertThat(job.coordinator.overview(job.now).members().get(1).state())
                    .isEqualTo(limit == 0 ? State.ALIVE : State.GONE);
            if (limit > 0) {
                assertThat(job.coordinator.notice("worker-1").gone())
                        .contains("it takes 0.500 s for its part of a step, 5.0 times as long as the others")
                        .contains("the limit is 3.0");
                assertThatThrownBy(() -> job.meet(1, "worker-1")).isInstanceOfSatisfying(RefusedException.class, e -> {
                    assertThat(e.kind()).isEqualTo(RefusedException.Kind.TOO_SLOW);
                });
            }
        }
    }

    @Test
    void aPaceThatWaversIsMentionedRarely() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(Coordinator.class);
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        log.start();
        logger.addAppender(log);
        try {
            TestingJob job = TestingJob.withGroup(MembershipRules.of(3), 3);
            for (int step = 0; step < 4000; step++) {
                double slow = step / 100 % 2 == 0 ? 0.2 : 0.1; // twice as slow and as fast as the others, in turn
                job.report("worker-0", step, 0.1);
                job.report("worker-1", step, slow);
                job.report("worker-2", step, 0.1);
            }
            List<String> said =
                    log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
            assertThat(said)
                    .filteredOn(line -> line.contains("worker-1 is slow"))
                    .hasSize(1);
            assertThat(said)
                    .filteredOn(line -> line.contains("as fast as the others again"))
                    .hasSize(1);
            for (int step = 4000; step < 4100; step++) {
                job.report("worker-0", step, 0.1);
                job.report("worker-1", step, 1);
                job.report("worker-2", step, 0.1);
            }
            assertThat(log.list.stream().map(ILoggingEvent::getFormattedMessage))
                    .filteredOn(line -> line.contains("worker-1 is slow"))
                    .as("once for each time that it is twice as slow as when last mentioned")
                    .hasSizeBetween(2, 4);
        } finally {
            logger.detachAppender(log);
            logger.setLevel(before);
        }
    }

    @Test
    void theProcessOfTheCoordinatorIsNotSentAway() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(3).ejectSlowerThan(3), 3);
        job.coordinator.runsIn("process of session 0");
        for (int step = 0; step < 2 * StepPaces.ENOUGH; step++) {
            job.report("worker-0", step, 0.5);
            job.report("worker-1", step, 0.1);
            job.report("worker-2", step, 0.1);
        }
        assertThat(job.state("worker-0")).isNotEqualTo(State.GONE);
        assertThat(job.coordinator.overview(job.now).members().get(0).slower()).isBetween(4.9, 5.1);
    }

    @Test
    void nobodyIsSentAwayWhenThatWouldLeaveTooFew() {
        TestingJob job =
                TestingJob.withGroup(MembershipRules.of(2).between(2, 2).ejectSlowerThan(2), 2);
        for (int step = 0; step < 50; step++) {
            job.report("worker-0", step, 0.1);
            job.report("worker-1", step, 1);
        }
        assertThat(job.state("worker-1")).isNotEqualTo(State.GONE);
        assertThat(job.coordinator.overview(job.now).members().get(1).slower()).isBetween(9.9, 10.1);
    }

    @Test
    void rowsThatDoNotAddUpAreNamed() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.apply(new Event.Heartbeat("worker-0", new Report(0, 3, 300, 0, 0)));
        job.apply(new Event.Heartbeat("worker-1", new Report(0, 2, 200, 0, 0)));
        job.apply(new Event.Heartbeat("worker-1", new Report(0, 3, 300, 0, 0)));
        assertThat(job.coordinator.overview(job.now).complaints()).isEmpty();
        job.apply(new Event.Heartbeat("worker-1", new Report(0, 3, 364, 0, 0)));
        job.apply(new Event.Heartbeat("worker-1", new Report(0, 4, 250, 0, 0)));
        Overview overview = job.coordinator.overview(job.now);
        assertThat(overview.complaints()).hasSize(2);
        assertThat(overview.complaints().get(0))
                .contains("epoch 0: worker-1 counts 364 rows after step 3, but worker-0 counted 300 after step 3");
        assertThat(overview.rows()).containsEntry(0, 300L);
    }

    @Test
    void notesBelongToAGeneration() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        assertThat(job.coordinator.note("worker-0", 1, "a")).isEmpty();
        job.apply(new Event.Post("worker-1", 1, "a", "x"));
        job.apply(new Event.Post("worker-1", 1, "a", "x"));
        assertThat(job.coordinator.note("worker-0", 1, "a")).hasValue("x");
        assertThatThrownBy(() -> job.apply(new Event.Post("worker-1", 1, "a", "y")))
                .hasMessageContaining("a name is used once");
        job.meet(1, "worker-1");
        assertThatThrownBy(() -> job.coordinator.note("worker-0", 1, "b")).hasMessageContaining("meets again");
        job.meet(1, "worker-0");
        assertThatThrownBy(() -> job.coordinator.note("worker-0", 1, "a"))
                .hasMessageContaining("generation 1 is over, the present one is 2");
        assertThat(job.coordinator.note("worker-0", 2, "a")).isEmpty();
    }

    @Test
    void chunksAreLeasedOnceAndComeBackWhenTheirMemberIsLost() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.apply(new Event.Begin("worker-0", 0, 4, List.of(1)));
        job.apply(new Event.Begin("worker-1", 0, 4, List.of(1)));
        assertThat(lease(job, "worker-0")).isEqualTo(0);
        assertThat(lease(job, "worker-0")).as("its answer was lost").isEqualTo(0);
        assertThat(lease(job, "worker-1")).isEqualTo(2);
        assertThat(lease(job, "worker-1", 2)).isEqualTo(3);
        assertThat(lease(job, "worker-0", 0)).isEqualTo(-1);
        job.apply(new Event.Use("worker-1", 0, List.of(3)));
        job.apply(new Event.Use("worker-1", 0, List.of(3)));
        assertThatThrownBy(() -> job.apply(new Event.Use("worker-0", 0, List.of(3))))
                .hasMessageContaining("worker-1 had used it before");
        assertThatThrownBy(() -> job.apply(new Event.Use("worker-0", 0, List.of(2))))
                .hasMessageContaining("worker-1 has leased it");
        job.apply(new Event.Leave("worker-1", "ends"));
        assertThat(lease(job, "worker-0", 0)).isEqualTo(2);
        job.apply(new Event.GiveBack("worker-0", 0));
        assertThat(lease(job, "worker-0")).isEqualTo(0);
        assertThatThrownBy(() -> job.apply(new Event.Begin("worker-0", 0, 5, List.of())))
                .hasMessageContaining("has 5 chunks, but it was begun with 4");
        assertThatThrownBy(() -> lease(job, "worker-0", 9, new int[0])).hasMessageContaining("has not begun");
        assertThat(job.coordinator.used(Leases.TRAINING, 0)).containsExactly(1, 3);
    }

    @Test
    void settingsHaveAVersion() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(1), 1);
        job.apply(new Event.Configure("rate", "0.1"));
        long first = job.coordinator.configuration().version();
        job.apply(new Event.Configure("clip", "1"));
        job.apply(new Event.Configure("rate", null));
        assertThat(job.coordinator.configuration().version()).isEqualTo(first + 2);
        assertThat(job.coordinator.configuration().values()).containsOnlyKeys("clip");
        assertThat(job.coordinator.notice("worker-0").version()).isEqualTo(first + 2);
        TestingJob later = TestingJob.withGroup(MembershipRules.of(1), 1);
        later.now = job.now + 1000;
        later.apply(new Event.Configure("clip", "2"));
        assertThat(later.coordinator.configuration().version())
                .as("that of a coordinator that knows nothing of the one before")
                .isGreaterThan(first + 2);
    }

    @Test
    void settingsAreLimited() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(1), 1);
        for (int i = 0; i < 1_000; i++) {
            job.apply(new Event.Configure("k" + i, "v"));
        }
        assertThatThrownBy(() -> job.apply(new Event.Configure("one more", "v")))
                .hasMessageContaining("a setting's name: expected up to 100 letters");
        assertThatThrownBy(() -> job.apply(new Event.Configure("one.more", "v")))
                .hasMessageContaining("there are 1000 settings already");
        job.apply(new Event.Configure("k7", "another"));
        job.apply(new Event.Configure("k8", null));
        job.apply(new Event.Configure("one.more", "v"));
        String long64k = "x".repeat(1 << 16);
        assertThatThrownBy(() -> {
                    for (int i = 10; i < 40; i++) {
                        job.apply(new Event.Configure("k" + i, long64k));
                    }
                })
                .hasMessageContaining("at most 1048576 are kept");
    }

    /** The coordinator was lost with all it knew; a worker that begins anew must not be the one whose state counts. */
    @Test
    void aNewCoordinatorTakesTheStateOfThoseWhoWereThere() {
        TestingJob job = new TestingJob(MembershipRules.of(3));
        List<String> ids = job.join(3);
        job.apply(new Event.Meet(ids.get(0), 0, 0, List.of()));
        job.apply(new Event.Meet(ids.get(1), 7, 120, List.of()));
        job.apply(new Event.Meet(ids.get(2), 7, 121, List.of()));
        Fact.Formed formed = job.coordinator.groupOf(ids.get(0), 0).orElseThrow();
        assertThat(formed.source()).isEqualTo(2);
        assertThat(formed.takeOver()).isTrue();
        assertThat(formed.generation()).isEqualTo(8);
    }

    /** Cut off from the coordinator for long, all were given up, and had gone on meanwhile. */
    @Test
    void whereAllWereAwayTheFurthestOfTheNewestGroupCounts() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(3).between(1, 9), 3);
        job.silence("worker-0");
        job.silence("worker-1");
        job.silence("worker-2");
        job.pass(11_000);
        List<String> again = job.join(3);
        job.apply(new Event.Meet(again.get(0), 1, 40, List.of()));
        job.apply(new Event.Meet(again.get(1), 2, 31, List.of()));
        job.apply(new Event.Meet(again.get(2), 2, 30, List.of()));
        Fact.Formed formed = job.coordinator.groupOf(again.get(0), 2).orElseThrow();
        assertThat(formed.source()).isEqualTo(1);
        assertThat(formed.takeOver()).isTrue();
    }

    @Test
    void theLedgerEndsWithItsTraining() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(1), 1);
        job.apply(new Event.Begin("worker-0", 0, 4, List.of()));
        job.apply(new Event.Leave("worker-0", "its work is done", true));
        job.apply(new Event.Join("again", null, MemberRecord.WORKER, "here", "p", 1));
        job.meet(0, "worker-1");
        job.apply(new Event.Begin("worker-1", 0, 9, List.of()));
        assertThat(lease(job, "worker-1")).isZero();
    }

    @Test
    void thoseWhoComeAfterAllHaveFailedSayWhatIsUsed() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2).between(1, 4), 2);
        job.apply(new Event.Begin("worker-0", 3, 4, List.of()));
        job.apply(new Event.Leave("worker-0", "it failed"));
        job.apply(new Event.Leave("worker-1", "it failed"));
        String next = job.join("worker-5");
        job.meet(0, next);
        job.pass(TestingJob.PATIENCE.start() + 200);
        job.apply(new Event.Begin(next, 3, 6, List.of(0, 1)));
        assertThat(job.coordinator.used(Leases.TRAINING, 3)).containsExactly(0, 1);
    }

    @Test
    void membersThatGoBackForgetTheEpochsBehind() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(1), 1);
        for (int epoch : new int[] {4, 5, 0}) {
            job.apply(new Event.Begin("worker-0", epoch, 4, List.of()));
        }
        assertThat(TestingJob.reborn(MembershipRules.of(1), job.coordinator.summary(job.now))
                        .knowledge())
                .isEqualTo(job.coordinator.knowledge());
        assertThat(job.coordinator.used(Leases.TRAINING, 0)).isEmpty();
        assertThatThrownBy(() -> job.coordinator.used(Leases.TRAINING, 5)).hasMessageContaining("has not begun");
    }

    @Test
    void whoComesWhenTheTrainingIsOverIsToldSo() {
        MembershipRules rules = MembershipRules.of(2).between(1, 4);
        TestingJob job = TestingJob.withGroup(rules, 2);
        String waiting = job.join("worker-2");
        job.meet(-1, waiting);
        job.apply(new Event.Leave("worker-0", "its work is done", true));
        assertThat(job.coordinator.groupOf(waiting, 0))
                .as("worker-1 is still there")
                .isEmpty();
        job.apply(new Event.Exited("process of session 1", "was killed"));
        assertThatThrownBy(() -> job.coordinator.groupOf(waiting, 0))
                .as("who waits")
                .hasMessageContaining("the training is over: worker-0, worker-1 ended it 0.0 s ago");
        assertThatThrownBy(() -> job.meet(0, waiting)).as("who asks again").hasMessageContaining("is over");
        assertThatThrownBy(() -> job.join("worker-3"))
                .as("who comes")
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(RefusedException.Kind.OVER));
        assertThatThrownBy(() -> TestingJob.reborn(rules, job.journal)
                        .apply(new Event.Join("s", null, MemberRecord.WORKER, "here", "p"), job.now))
                .as("after a restart")
                .hasMessageContaining("is over");
    }

    @Test
    void theNextTrainingOfTheSameProcessesIsAnotherMatter() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(1), 1);
        job.apply(new Event.Leave("worker-0", "its work is done", true));
        job.apply(new Event.Join("again", null, MemberRecord.WORKER, "here", "p", 1));
        job.meet(0, "worker-1");
        assertThat(job.group()).containsExactly("worker-1");
    }

    @Test
    void aTrainingThatFailedIsNotOver() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.apply(new Event.Leave("worker-0", "it failed"));
        job.apply(new Event.Leave("worker-1", "it failed"));
        job.meet(0, job.join(2));
        assertThat(job.group()).containsExactly("worker-2", "worker-3");
    }

    @Test
    void otherRolesAreWatchedAndMeetByThemselves() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(1), 1);
        job.apply(new Event.Join("s", null, "evaluator", "here", "p"));
        job.apply(new Event.Meet("evaluator-0", 0, 0, List.of()));
        assertThat(job.generation()).isEqualTo(1);
        job.meet(1, "worker-0");
        assertThat(job.generation()).isEqualTo(2);
        assertThat(job.coordinator.notice("evaluator-0").generation()).isEqualTo(1);
        assertThat(job.pass(11_000)).singleElement().isInstanceOf(Fact.Lost.class);
    }

    @Test
    void namesThatCannotBeAreRefused() {
        TestingJob job = new TestingJob(MembershipRules.of(1));
        for (String wish : List.of("", "a b", "x".repeat(101), "a,b", "ü")) {
            assertThatThrownBy(() -> job.join(wish)).hasMessageContaining("the wished name");
        }
    }

    @Test
    void datasetsHaveLedgersOfTheirOwn() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.apply(new Event.Begin("worker-0", "a", 0, 2, List.of()));
        job.apply(new Event.Begin("worker-0", "b", 7, 3, List.of(0)));
        assertThat(lease(job, "worker-0", "a", 0, ChunkPreference.NONE)).isEqualTo(0);
        assertThat(lease(job, "worker-0", "b", 7, ChunkPreference.NONE)).isEqualTo(1);
        job.apply(new Event.Use("worker-0", "b", 7, List.of(1)));
        assertThat(job.coordinator.used("a", 0)).isEmpty();
        assertThat(job.coordinator.used("b", 7)).containsExactly(0, 1);
        job.apply(new Event.Leave("worker-0", "ends"));
        assertThat(lease(job, "worker-1", "a", 0, ChunkPreference.NONE)).isEqualTo(0);
        assertThatThrownBy(() -> lease(job, "worker-1", "c", 0, ChunkPreference.NONE))
                .hasMessageContaining("epoch 0 has not begun");
        assertThatThrownBy(() -> job.apply(new Event.Begin("worker-1", "no name", 0, 2, List.of())))
                .hasMessageContaining("the name of a data set");
    }

    @Test
    void aMemberGetsTheChunksItPrefersWhileTheyAreFree() {
        TestingJob job = TestingJob.withGroup(MembershipRules.of(2), 2);
        job.apply(new Event.Begin("worker-0", "a", 0, 6, List.of()));
        ChunkPreference near = ChunkPreference.first(List.of(4, 2));
        assertThat(lease(job, "worker-0", "a", 0, near)).isEqualTo(4);
        assertThat(lease(job, "worker-1", "a", 0, near)).isEqualTo(2);
        assertThat(lease(job, "worker-1", "a", 0, near, 2)).as("any other").isEqualTo(0);
        ChunkPreference only = ChunkPreference.only(List.of(2, 5, 99));
        assertThat(lease(job, "worker-1", "a", 0, only, 2, 0)).isEqualTo(5);
        assertThat(lease(job, "worker-1", "a", 0, only, 2, 0, 5))
                .as("it can read no others")
                .isEqualTo(-1);
        assertThat(lease(job, "worker-0", "a", 0, near, 4)).isEqualTo(1);
    }

    @Test
    void factsOfEarlierVersionsAreOfTheTrainingData() {
        Fact fact = Json.read(
                "{\"fact\": \"leased\", \"epoch\": 1, \"chunk\": 3, \"member\": \"worker-0\"}", Fact.class, "here");
        assertThat(fact).isEqualTo(new Fact.Leased(Leases.TRAINING, 1, 3, "worker-0"));
    }

    private static int lease(
            TestingJob job, String member, String dataset, int epoch, ChunkPreference preference, Integer... held) {
        List<Fact> facts = job.apply(new Event.Lease(member, dataset, epoch, List.of(held), preference));
        return facts.isEmpty() ? -1 : ((Fact.Leased) facts.get(0)).chunk();
    }

    private static int lease(TestingJob job, String member, int... held) {
        return lease(job, member, 0, held);
    }

    private static int lease(TestingJob job, String member, int epoch, int[] held) {
        List<Fact> facts = job.apply(new Event.Lease(
                member, epoch, java.util.Arrays.stream(held).boxed().toList()));
        return facts.isEmpty() ? -1 : ((Fact.Leased) facts.get(0)).chunk();
    }
}
