package dev.tutti.cluster.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Members of one job train the same job. */
class JobSettingsTest {
    private static final Map<String, String> FIRST = Map.of("optimizer.learningRate", "0.1", "seed", "5");
    private static final Map<String, String> OTHER = Map.of("optimizer.learningRate", "0.2", "seed", "5");

    private final TestingJob job = new TestingJob(MembershipRules.of(3));

    private List<Fact> join(TestingJob in, String id, Map<String, String> settings, int trainings) {
        return in.apply(new Event.Join(
                "session of " + id, id, MemberRecord.WORKER, "host of " + id, id, trainings, "", settings));
    }

    private void requireRefused(TestingJob in, String id, Map<String, String> settings, String... words) {
        assertThatThrownBy(() -> join(in, id, settings, 0))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.kind()).isEqualTo(RefusedException.Kind.OTHER_JOB))
                .message()
                .contains(words);
    }

    @Test
    void aDifferenceIsRefusedWithTheSettingBothValuesAndWhoseTheyAre() {
        join(job, "worker-0", FIRST, 0);
        join(job, "worker-1", FIRST, 0);
        requireRefused(
                job,
                "worker-2",
                OTHER,
                "worker-2 on host of worker-2 does not train the same job as worker-0",
                "optimizer.learningRate is '0.2', but '0.1' for worker-0");
        requireRefused(job, "worker-2", Map.of("seed", "5"), "optimizer.learningRate is not set, but '0.1'");
        requireRefused(job, "worker-2", Map.of(), "seed is not set");
    }

    @Test
    void aCoordinatorThatIsStartedAgainRemembersThem() {
        join(job, "worker-0", FIRST, 0);
        Coordinator reborn = TestingJob.reborn(MembershipRules.of(3), job.coordinator.summary(job.now));
        assertThatThrownBy(() -> reborn.apply(
                        new Event.Join("s", "worker-1", MemberRecord.WORKER, "here", "p", 0, "", OTHER), job.now))
                .isInstanceOf(RefusedException.class);
    }

    @Test
    void whenAllAreLostTheNextOnesMayBringOtherSettings() {
        join(job, "worker-0", FIRST, 0);
        job.apply(new Event.Leave("worker-0", "it failed"));
        join(job, "worker-1", OTHER, 0);
        requireRefused(job, "worker-2", FIRST, "but '0.2' for worker-1");
    }

    @Test
    void aTrainingAfterAnotherHasSettingsOfItsOwn() {
        join(job, "worker-0", FIRST, 0);
        join(job, "worker-1", OTHER, 1);
        assertThat(job.coordinator.overview(job.now).members()).hasSize(2);
    }

    @Test
    void onlyWorkersTrain() {
        join(job, "worker-0", FIRST, 0);
        job.apply(new Event.Join("s", null, "evaluator", "here", "p", 0, "", OTHER));
        assertThat(job.coordinator.overview(job.now).members()).hasSize(2);
    }
}
