package dev.tutti.bench.harness;

import dev.tutti.bench.process.ProcessCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Small contenders written for the shell: real processes that speak the protocol, or fail to. */
public final class Scripts {
    static final Plan PLAN = new Plan(
            3,
            Duration.ofMillis(10),
            Duration.ofMillis(20),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30));

    private Scripts() {}

    /** A plan that does not wait for answers longer than this. */
    static Plan patience(Duration deadline) {
        return new Plan(3, PLAN.warmUp(), PLAN.run(), PLAN.startDeadline(), deadline, deadline);
    }

    static Entrant throughput(String name, String script, String... arguments) {
        return new Entrant(name, sh(script, arguments), new Entrant.Throughput("work"));
    }

    static Entrant whole(String name, String script, String... arguments) {
        return new Entrant(name, sh(script, arguments), new Entrant.WholeCommand());
    }

    public static ProcessCommand sh(String script, String... arguments) {
        List<String> words = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        words.addAll(List.of(arguments));
        return new ProcessCommand(words, "sh script", false);
    }

    /** Answers every question with this. */
    static String answering(String answer) {
        return "echo '{\"ready\": true}'; while read line; do echo '" + answer + "'; done";
    }
}
