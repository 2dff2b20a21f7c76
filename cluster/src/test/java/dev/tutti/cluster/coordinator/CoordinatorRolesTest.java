package dev.tutti.cluster.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import dev.tutti.comm.Holding;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Members of several roles, and the things they hold, under a virtual clock. */
class CoordinatorRolesTest {
    private static final String SERVER = "server";

    private final MembershipRules rules = MembershipRules.of(2).role(SERVER, RoleRules.of(2));
    private final TestingJob job = new TestingJob(rules);

    private String server(String session) {
        return ((Fact.Joined) job.apply(new Event.Join(session, null, SERVER, "here", "process of " + session))
                        .get(0))
                .member();
    }

    private List<Fact> meet(String member) {
        return job.apply(new Event.Meet(member, job.coordinator.notice(member).generation(), 0, List.of()));
    }

    private void meetAll() {
        job.join(2).forEach(this::meet);
        meet(server("a"));
        assertThat(meet(server("b")))
                .containsExactly(new Fact.Formed(1, List.of("server-0", "server-1"), 0, true, SERVER));
    }

    @Test
    void aLostServerDoesNotEndTheWorkersGroupAndTheOtherWayRound() {
        meetAll();
        MembershipNotice workers = job.coordinator.notice("worker-0");
        job.apply(new Event.Exited("process of a", "was killed"));
        assertThat(job.coordinator.notice("worker-0").changed()).isNull();
        assertThat(job.coordinator.notice("worker-0").generation()).isEqualTo(workers.generation());
        assertThat(job.coordinator.notice("worker-0").members()).isGreaterThan(workers.members());
        assertThat(job.coordinator.notice("server-1").changed()).contains("server-0 is gone");
        assertThat(meet("server-1")).containsExactly(new Fact.Formed(2, List.of("server-1"), 0, false, SERVER));
        assertThat(job.generation()).isEqualTo(1);

        job.apply(new Event.Exited("process of session 0", "was killed"));
        assertThat(job.coordinator.notice("worker-1").changed()).contains("worker-0 is gone");
        assertThat(job.coordinator.notice("server-1").changed()).isNull();
        meet("worker-1");
        assertThat(job.generation()).isEqualTo(2);
        assertThat(job.coordinator.notice("server-1").generation()).isEqualTo(2);
    }

    @Test
    void everyRoleHasPlacesAndNotesOfItsOwn() {
        meetAll();
        assertThatThrownBy(() -> server("c"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("2 places")
                .hasMessageContaining("servers");
        job.apply(new Event.Join("d", "eye", "observer", "here", "p")); // of whom nothing was said
        job.apply(new Event.Post("worker-0", 1, "address", "of workers"));
        job.apply(new Event.Post("server-0", 1, "address", "of servers"));
        assertThat(job.coordinator.note("worker-1", 1, "address")).contains("of workers");
        assertThat(job.coordinator.note("server-1", 1, "address")).contains("of servers");
        assertThat(job.coordinator.present(SERVER))
                .extracting(one -> one.member().id())
                .containsExactly("server-0", "server-1");
        assertThat(job.coordinator.present(null)).hasSize(5);
    }

    @Test
    void otherRolesHearThatTheTrainingIsOver() {
        meetAll();
        assertThat(job.coordinator.notice("server-0").trainings()).isZero();
        job.apply(new Event.Leave("worker-0", "done", true));
        job.apply(new Event.Leave("worker-1", "done", true));
        assertThat(job.coordinator.notice("server-0").trainings()).isEqualTo(1);
        assertThat(job.coordinator.notice("server-0").gone()).isNull();
        assertThat(server("a")).isEqualTo("server-0");
    }

    @Test
    void membersAreFoundByTheirAddressUntilTheyAreGone() {
        meetAll();
        job.apply(new Event.Announce("server-0", "127.0.0.1:9"));
        assertThat(job.coordinator.presence("server-0").orElseThrow().address()).isEqualTo("127.0.0.1:9");
        assertThat(job.apply(new Event.Announce("server-0", "127.0.0.1:9"))).isEmpty();
        job.apply(new Event.Exited("process of a", "was killed"));
        Presence gone = job.coordinator.presence("server-0").orElseThrow();
        assertThat(gone.address()).isNull();
        assertThat(gone.gone()).contains("was killed");
        assertThat(job.coordinator.presence("server-9")).isEmpty();
    }

    @Test
    void aLostFirstHolderIsFollowedByItsBackupUnderTheNextTerm() {
        meetAll();
        job.apply(new Event.Claim("server-0", "shard-3"));
        assertThat(holding()).isEqualTo(new Holding("shard-3", 1, List.of("server-0")));
        assertThat(job.apply(new Event.Claim("server-0", "shard-3"))).isEmpty();
        assertThatThrownBy(() -> job.apply(new Event.Claim("server-1", "shard-3")))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FENCED))
                .hasMessageContaining("server-0")
                .hasMessageContaining("term 1");
        job.apply(new Event.Assign("server-0", "shard-3", 1, List.of("server-0", "server-1")));
        assertThat(holding().term()).isEqualTo(1);
        List<Fact> facts = job.apply(new Event.Exited("process of a", "was killed"));
        assertThat(facts).contains(new Fact.Owned("shard-3", 2, List.of("server-1")));
        // The journal has it: another coordinator knows the same.
        assertThat(TestingJob.reborn(rules, job.journal).holding("shard-3")).contains(holding());
        assertThatThrownBy(() -> job.apply(new Event.Assign("server-1", "shard-3", 1, List.of("server-1", "worker-0"))))
                .hasMessageContaining("under term 2");
        job.apply(new Event.Assign("server-1", "shard-3", 2, List.of("worker-0", "server-1")));
        assertThat(holding()).isEqualTo(new Holding("shard-3", 3, List.of("worker-0", "server-1")));
        assertThatThrownBy(() -> job.apply(new Event.Assign("server-1", "shard-3", 2, List.of())))
                .as("a late holder is fenced")
                .hasMessageContaining("server-1 does not hold it under term 2");
        job.apply(new Event.Leave("worker-0", "ends"));
        job.apply(new Event.Exited("process of b", "was killed"));
        assertThat(holding()).isEqualTo(new Holding("shard-3", 5, List.of()));
        job.apply(new Event.Claim("worker-1", "shard-3"));
        assertThat(holding()).isEqualTo(new Holding("shard-3", 6, List.of("worker-1")));
        assertThat(job.coordinator.holdings("shard-")).containsExactly(holding());
    }

    @Test
    void aLostBackupIsLeftOutAndOnlyLivingMembersHold() {
        meetAll();
        job.apply(new Event.Claim("server-0", "shard-3"));
        job.apply(new Event.Assign("server-0", "shard-3", 1, List.of("server-0", "server-1", "worker-0")));
        job.apply(new Event.Exited("process of b", "was killed"));
        assertThat(holding()).isEqualTo(new Holding("shard-3", 1, List.of("server-0", "worker-0")));
        assertThatThrownBy(() -> job.apply(new Event.Assign("server-0", "shard-3", 1, List.of("server-0", "server-1"))))
                .hasMessageContaining("server-1 is no longer a member");
        assertThatThrownBy(() -> job.apply(new Event.Claim("server-0", "a thing with spaces")))
                .hasMessageContaining("a thing");
    }

    private Holding holding() {
        return job.coordinator.holding("shard-3").orElseThrow();
    }

    @Test
    void aJournalFromBeforeThereWereRolesIsThatOfWorkers() {
        Fact.Formed old = dev.tutti.json.Json.read(
                "{\"fact\":\"formed\",\"generation\":3,\"members\":[\"worker-0\"],\"source\":0,\"takeOver\":false}",
                Fact.Formed.class,
                "test");
        assertThat(old.role()).isEqualTo(MemberRecord.WORKER);
    }
}
