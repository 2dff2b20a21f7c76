package dev.tutti.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class BackgroundThreadTest {
    private static final String SCHED_OTHER = "0";
    private static final String SCHED_BATCH = "3";

    @Test
    @EnabledOnOs(OS.LINUX)
    void waitsForItsTurnAndNobodyElseDoes() throws Exception {
        CompletableFuture<String> policy = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            BackgroundThread.enter();
            policy.complete(policyOfThisThread());
        });
        thread.start();
        assertThat(policy.get()).isEqualTo(SCHED_BATCH);
        assertThat(policyOfThisThread()).isEqualTo(SCHED_OTHER);
    }

    private static String policyOfThisThread() {
        try {
            String stat = Files.readString(Path.of("/proc/thread-self/stat"));
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[38];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
