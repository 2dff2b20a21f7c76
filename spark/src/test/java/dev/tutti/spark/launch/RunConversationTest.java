package dev.tutti.spark.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRequest;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Fit;
import dev.tutti.train.RemoteTraining;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What callbacks of the driver hear when the chief that reports to it is lost and another one goes on. */
class RunConversationTest {
    @TempDir
    private Path inbox;

    private final List<String> heard = new ArrayList<>();

    private RunConversation conversation() {
        Fit fit = Fit.epochs(3).callbacks(new Callback() {
            @Override
            public void begin(Run run) {
                heard.add("begin");
            }

            @Override
            public void step(Run run) {
                heard.add("step " + run.step());
            }

            @Override
            public void epoch(Run run, EpochResult result) {
                heard.add("epoch " + result.epoch());
            }

            @Override
            public void end(Run run, Optional<Throwable> failure) {
                heard.add("end");
            }
        });
        return new RunConversation(new RemoteTraining(null, fit, null, false, null, null), inbox, () -> false);
    }

    private static EpochResult result(int epoch) {
        return new EpochResult(epoch, epoch * 10L, 0.1, new Evaluation(1, Map.of(), 10), Optional.empty(), 1);
    }

    private static RunReport report(RunReport.Kind kind, long step, int... finished) {
        List<EpochResult> results = new ArrayList<>();
        for (int epoch : finished) {
            results.add(result(epoch));
        }
        return new RunReport(
                kind,
                finished.length + 1,
                3,
                step,
                0,
                10,
                step,
                0.1,
                Map.of(),
                1,
                new Evaluation(1, Map.of(), 10),
                results,
                false,
                null,
                null,
                null);
    }

    private static void tell(RunConversation driver, RunReport report) throws InterruptedException {
        var answer = driver.handler()
                .handle(new MessageRequest(
                        new Member("chief", "here", "worker"),
                        DriverLink.TOPIC,
                        Message.of(Json.write(report)),
                        Duration.ofSeconds(1)))
                .toCompletableFuture();
        driver.serve(1000);
        assertThat(answer).isCompleted();
    }

    @Test
    void anEpochWhoseChiefWasLostBeforeItWasReportedIsToldByTheNextChief() throws InterruptedException {
        RunConversation driver = conversation();
        tell(driver, report(RunReport.Kind.BEGIN, 0));
        tell(driver, report(RunReport.Kind.EPOCH, 10, 1).result(result(1)));
        tell(driver, report(RunReport.Kind.BEGIN, 20, 1, 2));
        tell(driver, report(RunReport.Kind.STEP, 21, 1, 2));
        tell(driver, report(RunReport.Kind.EPOCH, 30, 1, 2, 3).result(result(3)));
        tell(driver, report(RunReport.Kind.END, 30, 1, 2, 3));
        assertThat(heard).containsExactly("begin", "epoch 1", "epoch 2", "step 21", "epoch 3", "end");
    }

    @Test
    void anEpochThatTwoChiefsReportIsToldOnce() throws InterruptedException {
        RunConversation driver = conversation();
        tell(driver, report(RunReport.Kind.BEGIN, 0));
        tell(driver, report(RunReport.Kind.EPOCH, 10, 1).result(result(1)));
        tell(driver, report(RunReport.Kind.BEGIN, 9));
        tell(driver, report(RunReport.Kind.EPOCH, 10, 1).result(result(1)));
        assertThat(heard).containsExactly("begin", "epoch 1");
    }

    @Test
    void epochsBeforeAResumedRunAreNotTold() throws InterruptedException {
        RunConversation driver = conversation();
        tell(driver, report(RunReport.Kind.BEGIN, 20, 1, 2));
        tell(driver, report(RunReport.Kind.STEP, 21, 1, 2));
        assertThat(heard).containsExactly("begin", "step 21");
    }
}
