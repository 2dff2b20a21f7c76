package dev.tutti.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.tutti.TuttiException;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.jobs.JobFolder;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.JobState;
import dev.tutti.jobs.SmallJobs;
import dev.tutti.serve.ServeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobServiceTest {
    private static final int LONG = 2_000;

    @TempDir
    Path folder;

    private JobService service;

    /** Ends what a failing test left running; only processes of this test's own folder. */
    @AfterEach
    void endAll() throws InterruptedException {
        if (service == null) {
            return;
        }
        service.close();
        for (JobRecord job : service.jobs()) {
            JobFolder files = service.folder(job.id());
            if (Files.exists(files.path()) && files.isHeld()) {
                files.process().flatMap(id -> ProcessHandle.of(id.pid())).ifPresent(ProcessHandle::destroyForcibly);
                await(() -> !files.isHeld());
            }
        }
    }

    private JobService start(int cores) {
        service = new JobService(
                folder.resolve("jobs"), new Resources(cores, 8_000), new ModelPublisher(folder.resolve("models")));
        service.start();
        return service;
    }

    private static JobSubmission job(int epochs, String publish) {
        return new JobSubmission(TextNode.valueOf(SmallJobs.yaml(epochs)), null, null, null, null, null, publish);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(90).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.sleep(50);
        }
    }

    private boolean trains(String id) {
        try {
            Path progress = service.folder(id).progress();
            return Files.exists(progress) && Files.readString(progress).contains("\"kind\":\"epoch\"");
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aJobIsTrainedAndItsModelPublished() throws Exception {
        start(2);
        JobRecord job = service.submit(job(2, "digits"), "ada");
        await(() -> service.job(job.id()).state().isOver());
        assertThat(service.job(job.id()).message()).isNull();
        assertThat(service.job(job.id()).state()).isEqualTo(JobState.FINISHED);
        assertThat(service.job(job.id()).published()).isEqualTo(1);
        assertThat(folder.resolve("models/digits/1/weights.safetensors")).exists();
        assertThat(Files.readString(service.folder(job.id()).progress())).contains("accuracy");
        assertThatThrownBy(() -> service.resume(job.id())).isInstanceOf(ServeException.class);
        service.delete(job.id());
        assertThat(service.folder(job.id()).path()).doesNotExist();
    }

    @Test
    void aPausedJobGoesOnFromItsCheckpointAndAKilledOneIsPutBack() throws Exception {
        start(1);
        JobRecord job = service.submit(job(LONG, null), "ada");
        await(() -> trains(job.id()));
        service.configure(job.id(), Map.of("learningRate", "0.0001"));
        await(() -> text(job.id()).contains("configured"));
        service.pause(job.id());
        await(() -> service.job(job.id()).state() == JobState.PAUSED);
        assertThat(service.folder(job.id()).isHeld()).isFalse();
        long before = text(job.id()).lines().count();
        service.resume(job.id());
        await(() -> text(job.id()).lines().count() > before + 3);
        assertThat(text(job.id()).lines().skip(before).findFirst().orElseThrow())
                .contains("started")
                .doesNotContain("epoch 1, step 0");
        long pid = service.folder(job.id()).process().orElseThrow().pid();
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        await(() -> service.job(job.id()).attempts() == 3);
        service.cancel(job.id());
        await(() -> service.job(job.id()).state() == JobState.CANCELLED);
    }

    private String text(String id) {
        try {
            return Files.readString(service.folder(id).progress());
        } catch (IOException e) {
            return "";
        }
    }

    /** The service of the next test. */
    public static final class KilledService {
        private KilledService() {}

        public static void main(String[] args) throws InterruptedException {
            JobService service = new JobService(
                    Path.of(args[0]).resolve("jobs"),
                    new Resources(1, 8_000),
                    new ModelPublisher(Path.of(args[0]).resolve("models")));
            service.start();
            service.submit(job(LONG, null), "ada");
            service.submit(job(1, null), "ada");
            new CountDownLatch(1).await(); // until it is killed
        }
    }

    @Test
    void aServiceThatIsKilledFindsItsJobsAgain() throws Exception {
        Process killed = ChildJvm.of(KilledService.class.getName(), "killed", List.of(folder.toString()))
                .startDetachedWithoutInput(folder.resolve("service.log"));
        service = new JobService(
                folder.resolve("jobs"), new Resources(1, 8_000), new ModelPublisher(folder.resolve("models")));
        try {
            await(() -> {
                try (var files = Files.list(folder.resolve("jobs"))) {
                    return files.map(JobFolder::new).filter(JobFolder::exists).count() == 2
                            && text(running()).contains("\"kind\":\"epoch\"");
                } catch (IOException e) {
                    return false;
                }
            });
        } finally {
            killed.destroyForcibly().waitFor();
        }
        String id = running();
        long pid = service.folder(id).process().orElseThrow().pid();
        service.start();
        long said = text(id).lines().count();
        await(() -> text(id).lines().count() > said + 3); // it was found, and trains on undisturbed
        assertThat(service.job(id).state()).isEqualTo(JobState.RUNNING);
        assertThat(service.job(id).attempts()).isEqualTo(1);
        assertThat(service.folder(id).process().orElseThrow().pid()).isEqualTo(pid);
        service.cancel(id);
        await(() -> service.jobs().stream().allMatch(job -> job.state().isOver()));
        assertThat(service.jobs().stream().map(JobRecord::state))
                .containsExactlyInAnyOrder(JobState.CANCELLED, JobState.FINISHED);
    }

    private String running() {
        try (var files = Files.list(folder.resolve("jobs"))) {
            return files.map(JobFolder::new)
                    .filter(JobFolder::exists)
                    .map(JobFolder::record)
                    .filter(job -> job.state() == JobState.RUNNING)
                    .map(JobRecord::id)
                    .findFirst()
                    .orElse("none");
        } catch (IOException e) {
            return "none";
        }
    }

    @Test
    void whatIsWrongInASubmissionIsSaid() {
        start(1);
        assertThatThrownBy(() -> service.submit(
                        new JobSubmission(TextNode.valueOf("epoks: 3"), null, null, null, null, null, null), "ada"))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("unknown key 'epoks'");
        assertThatThrownBy(() -> service.submit(
                        new JobSubmission(TextNode.valueOf("mnist"), null, null, 64, null, null, null), "ada"))
                .hasMessageContaining("cores: expected 1 to 1");
        assertThatThrownBy(() -> service.submit(
                        new JobSubmission(TextNode.valueOf("mnist"), null, null, null, null, null, "../up"), "ada"))
                .hasMessageContaining("a name is made of");
        assertThatThrownBy(() -> service.submit(
                        new JobSubmission(
                                TextNode.valueOf(SmallJobs.yaml(1) + "checkpoints: {folder: /tmp/elsewhere}\n"),
                                null,
                                null,
                                null,
                                null,
                                null,
                                null),
                        "ada"))
                .hasMessageContaining("the service chooses where a job writes");
        assertThatThrownBy(() -> service.job("../../etc")).isInstanceOf(ServeException.class);
        assertThat(service.jobs()).isEmpty();
    }

    @Test
    void aJobIsHeldToItsCoresItsDevicesAndItsMemory() throws Exception {
        service = new JobService(
                folder.resolve("jobs"), new Resources(1, 8_000, 2), new ModelPublisher(folder.resolve("models")));
        service.start();
        JobRecord job = service.submit(
                new JobSubmission(TextNode.valueOf(SmallJobs.yaml(LONG)), null, null, 1, null, 1, null), "ada");
        await(() -> trains(job.id()));
        assertThat(service.job(job.id()).given().devices()).containsExactly(0);
        assertThat(service.free()).isEqualTo(new Resources(0, 8_000, 1));
        Path process = Path.of(
                "/proc",
                String.valueOf(service.folder(job.id()).process().orElseThrow().pid()));
        if (Files.exists(process) && !CoreNumbers.allowed().isEmpty()) {
            assertThat(Files.readString(process.resolve("environ"))).contains("CUDA_VISIBLE_DEVICES=0\0");
            assertThat(Files.readString(process.resolve("status")).lines())
                    .contains("Cpus_allowed_list:\t" + CoreNumbers.allowed().get(0));
        }
        service.cancel(job.id());
        await(() -> service.job(job.id()).state() == JobState.CANCELLED);
        assertThat(service.job(job.id()).given()).isNull();

        JobRecord greedy = service.submit(
                new JobSubmission(TextNode.valueOf(SmallJobs.yaml(LONG)), null, null, 1, 70, null, null), "ada");
        await(() -> service.job(greedy.id()).state().isOver());
        assertThat(service.job(greedy.id()).state()).isEqualTo(JobState.FAILED);
        assertThat(service.job(greedy.id()).message()).contains("had asked for 70 MB");
        assertThatThrownBy(() -> service.submit(
                        new JobSubmission(TextNode.valueOf("mnist"), null, null, null, null, 3, null), "ada"))
                .hasMessageContaining("devices: expected 0 to 2");
        assertThatThrownBy(() -> service.submit(
                        new JobSubmission(
                                TextNode.valueOf(SmallJobs.yaml(1) + "cluster: {type: spark, master: yarn}\n"),
                                null,
                                null,
                                null,
                                null,
                                null,
                                null),
                        "ada"))
                .isInstanceOf(TuttiException.class); // this module knows nothing of Spark
    }

    @Test
    void coreNumbersAreReadAsTheSystemWritesThem() {
        assertThat(CoreNumbers.parse("0-2,8,10-11")).containsExactly(0, 1, 2, 8, 10, 11);
    }

    @Test
    void usedTimeFadesAndOutlivesTheService() {
        Instant begin = Instant.parse("2026-01-01T00:00:00Z");
        FairShares shares = new FairShares(folder.resolve("usage.json"), begin);
        shares.add("ada", 100);
        shares.advance(begin.plusSeconds(3_600));
        assertThat(shares.byUser().get("ada")).isCloseTo(50, within(0.01));
        shares.writeNowAndThen();
        FairShares next = new FairShares(folder.resolve("usage.json"), begin.plusSeconds(7_200));
        next.read();
        assertThat(next.byUser().get("ada")).isCloseTo(25, within(0.01));
    }

    @Test
    void priorityComesFirstThenTheUserThatUsedLeast() {
        JobRecord first = record("a", "ada", 0, "2026-01-01T00:00:00Z");
        JobRecord second = record("b", "ada", 0, "2026-01-01T00:00:01Z");
        JobRecord other = record("c", "bob", 0, "2026-01-01T00:00:02Z");
        JobRecord urgent = record("d", "ada", 5, "2026-01-01T00:00:03Z");
        assertThat(QueueOrder.of(List.of(first, second, other, urgent), Map.of("ada", 10.0)))
                .extracting(JobRecord::id)
                .containsExactly("d", "c", "a", "b");
    }

    private static JobRecord record(String id, String user, int priority, String submitted) {
        return new JobRecord(
                id, id, user, priority, 1, 0, 0, null, JobState.QUEUED, null, submitted, null, null, 0, null, null, 0);
    }
}
