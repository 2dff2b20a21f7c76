package dev.tutti.testkit;

import dev.tutti.testkit.fault.ProcessState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What all threads are doing: of this JVM and of the JVMs under it. For the log of a test that hangs. */
final class Stacks {
    private static final long JSTACK_SECONDS = 10;

    private Stacks() {}

    static String all() {
        StringBuilder text = new StringBuilder("Threads of this JVM:\n");
        for (Map.Entry<Thread, StackTraceElement[]> thread :
                Thread.getAllStackTraces().entrySet()) {
            text.append('"')
                    .append(thread.getKey().getName())
                    .append("\" ")
                    .append(thread.getKey().getState())
                    .append('\n');
            for (StackTraceElement element : thread.getValue()) {
                text.append("    ").append(element).append('\n');
            }
        }
        for (ProcessHandle process : ChildJvms.all()) {
            text.append("Threads of ")
                    .append(ChildJvms.name(process).orElse("?"))
                    .append(", process ")
                    .append(process.pid())
                    .append(", ")
                    .append(ProcessState.of(process.pid()))
                    .append(":\n")
                    .append(jstack(process.pid()));
        }
        return text.toString();
    }

    private static String jstack(long pid) {
        if (ProcessState.of(pid) != ProcessState.RUNNING) {
            return "(none: it does not run)\n";
        }
        String command =
                Path.of(System.getProperty("java.home"), "bin", "jstack").toString();
        try {
            Process process = new ProcessBuilder(command, Long.toString(pid))
                    .redirectErrorStream(true)
                    .start();
            var unused = process.onExit()
                    .completeOnTimeout(process, JSTACK_SECONDS, TimeUnit.SECONDS)
                    .thenAccept(Process::destroyForcibly);
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(jstack cannot be run: " + e.getMessage() + ")\n";
        }
    }
}
