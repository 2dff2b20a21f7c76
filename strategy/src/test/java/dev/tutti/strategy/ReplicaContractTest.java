package dev.tutti.strategy;

import static dev.tutti.strategy.TestingCluster.killing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.data.Dataset;
import dev.tutti.strategy.ReplicaDriver.Agreed;
import dev.tutti.strategy.ReplicaDriver.Says;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.Strategy;
import dev.tutti.train.replica.Vote;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@link dev.tutti.train.replica.Replica} promises, held against every strategy, on members that are threads. */
@Timeout(60)
class ReplicaContractTest {
    /** The last batch has 2 rows: with three members one has no data in its step. */
    private static final int ROWS = 98;

    private static final Dataset DATA = Blobs.data(ROWS).batch(24);

    /** Runs every member; what those gave that were not killed, by name. */
    private static <T> Map<String, T> run(StrategyCase it, TestingCluster.Hook hook, Function<ReplicaDriver, T> work) {
        TestingCluster cluster = new TestingCluster(it.members(), hook).threadsOf(id -> it.threads());
        return (it.apart() ? cluster.apart() : cluster).run(place -> {
            try (ReplicaDriver driver = new ReplicaDriver(it, place.assemble(null))) {
                return work.apply(driver);
            }
        });
    }

    private static <T> Map<String, T> run(StrategyCase it, Function<ReplicaDriver, T> work) {
        return run(it, (member, point) -> {}, work);
    }

    @ParameterizedTest
    @MethodSource("dev.tutti.strategy.StrategyCase#all")
    void allMembersHaveTheSameOutcomesAndTheSameBits(StrategyCase it) {
        Map<String, List<Agreed>> members = run(it, driver -> {
            driver.epoch(DATA, 0, Says.NOTHING);
            driver.epoch(DATA, 1, Says.NOTHING);
            return driver.agreements();
        });
        List<Agreed> first = members.get("worker-0");
        assertThat(members).hasSize(it.members());
        members.values().forEach(other -> assertThat(other).isEqualTo(first));
        assertThat(first).allMatch(agreed -> Double.isFinite(agreed.outcome().loss()));
        assertThat(first.stream()
                        .mapToLong(agreed -> agreed.outcome().samples())
                        .sum())
                .as("every sample of two epochs counts once")
                .isEqualTo(2 * ROWS);
        assertThat(first.get(first.size() - 1).outcome().more()).isFalse();
        assertThat(first.get(0).weights())
                .isNotEqualTo(first.get(first.size() - 1).weights());
    }

    @ParameterizedTest
    @MethodSource("dev.tutti.strategy.StrategyCase#all")
    void whatOneMemberVotesForAllHear(StrategyCase it) {
        int last = it.members() - 1;
        Map<String, List<Agreed>> members = run(it, driver -> {
            Says says = (agreements, more, findings) -> new Vote(more, true, true, true, false, findings);
            driver.epoch(DATA, 0, driver.rank() == last ? says : Says.NOTHING);
            return driver.agreements();
        });
        members.values().forEach(agreed -> {
            assertThat(agreed).hasSize(1);
            Outcome outcome = agreed.get(0).outcome();
            assertThat(outcome.stop()).isTrue();
            assertThat(outcome.interrupted()).isTrue();
            assertThat(outcome.reopen()).isTrue();
            assertThat(outcome.more()).isTrue();
        });
    }

    /** Without running statistics of shares, an exact strategy comes to what one member with the whole batch does. */
    @ParameterizedTest
    @MethodSource("dev.tutti.strategy.StrategyCase#all")
    void exactStrategiesEqualOneMemberWithTheWholeBatch(StrategyCase it) {
        Function<ReplicaDriver, Map<String, NdArray>> epoch = driver -> {
            driver.epoch(DATA, 0, Says.NOTHING);
            return driver.weights();
        };
        StrategyCase plain = it.withoutBatchNorm();
        StrategyCase one = new StrategyCase("local", Strategy.local(), 1, 1, it.batches(), false, false);
        Map<String, NdArray> expected = run(one, epoch).get("worker-0");
        Map<String, NdArray> actual = run(plain, epoch).get("worker-0");
        if (it.strategy().exact()) {
            Weights.assertClose(actual, expected, 1e-5);
        } else {
            assertThat(actual.keySet()).isEqualTo(expected.keySet());
        }
    }

    /** What happens to the lost member itself comes out. */
    private static void loseAMember(ReplicaDriver driver) {
        try {
            driver.epoch(DATA, 0, Says.NOTHING);
        } catch (GroupChangedException e) {
            return;
        }
        throw new AssertionError("expected that a member was lost, received a whole epoch");
    }

    @ParameterizedTest
    @MethodSource("dev.tutti.strategy.StrategyCase#ofSeveralMembers")
    void aStepThatLosesAMemberLeavesNoTraceAfterAMeeting(StrategyCase it) {
        run(it, killing("worker-1", "before tally", 2), driver -> {
            loseAMember(driver);
            assertThat(driver.agreements()).hasSize(1);
            boolean stateLost = driver.meetAgain();
            assertThat(stateLost).isEqualTo(it.shards());
            assertThat(driver.weights()).isEqualTo(driver.lastAgreed());
            return true;
        });
    }

    @ParameterizedTest
    @MethodSource("dev.tutti.strategy.StrategyCase#ofSeveralMembers")
    void aStepThatIsAbandonedLeavesNoTrace(StrategyCase it) {
        run(it, killing("worker-1", "before tally", 2), driver -> {
            loseAMember(driver);
            driver.abandon();
            assertThat(driver.weights()).isEqualTo(driver.lastAgreed());
            return true;
        });
    }

    @ParameterizedTest
    @MethodSource("dev.tutti.strategy.StrategyCase#ofSeveralMembers")
    void theOthersGoOnAfterAMemberIsLost(StrategyCase it) {
        if (it.shards()) {
            return; // its state goes back to a checkpoint, which is the loop's
        }
        Map<String, List<Agreed>> members = run(it, killing("worker-1", "before tally", 2), driver -> {
            loseAMember(driver);
            driver.meetAgain();
            driver.epoch(DATA, 1, Says.NOTHING);
            return driver.agreements();
        });
        List<Agreed> first = members.get("worker-0");
        assertThat(members).hasSize(it.members() - 1);
        members.values().forEach(other -> assertThat(other).isEqualTo(first));
        assertThat(first.stream()
                        .skip(1)
                        .mapToLong(agreed -> agreed.outcome().samples())
                        .sum())
                .isEqualTo(ROWS);
    }
}
