package dev.tutti.bench.contender;

import dev.tutti.DidYouMean;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Runs workloads when asked, line by line.
 *
 * <p>It says with one JSON line that it is ready; each {@code run WORKLOAD SECONDS} is answered by one JSON line, after
 * at least one step. When the input ends, so does it: a harness that dies leaves no process behind. Python's side of the same
 * protocol is {@code bench/peers/contender.py}.
 */
public final class WorkloadServer {
    private final Map<String, Supplier<Workload>> workloads;
    private String name = "";
    private Workload workload;

    public WorkloadServer(Map<String, Supplier<Workload>> workloads) {
        this.workloads = Map.copyOf(workloads);
    }

    /** Serves this process's standard input as {@code ./tutti} would, and keeps standard output free of anything else. */
    public void serveStandardStreams() throws IOException {
        HostTuning.apply();
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        serve(System.in, answers);
    }

    /** Answers until the input ends. */
    public void serve(InputStream questions, PrintStream answers) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(questions, StandardCharsets.UTF_8));
        try {
            say(answers, Map.of("ready", true));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                say(answers, answer(line));
            }
        } finally {
            drop();
        }
    }

    private Map<String, Object> answer(String line) {
        try {
            String[] words = line.strip().split("\\s+");
            if (words.length != 3 || !words[0].equals("run")) {
                throw new IllegalArgumentException("expected 'run WORKLOAD SECONDS', received '" + line + "'");
            }
            choose(words[1]);
            return run(Double.parseDouble(words[2]));
        } catch (RuntimeException | LinkageError e) {
            return Map.of("error", e.toString());
        }
    }

    private Map<String, Object> run(double seconds) {
        Workload.Pace pace = workload.run(seconds);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("samples_per_second", pace.samples() / pace.seconds());
        answer.put("ms_per_step", pace.seconds() * 1e3 / pace.steps());
        answer.put("us_per_step", pace.seconds() * 1e6 / pace.steps());
        answer.put("steps", pace.steps());
        answer.put("seconds", pace.seconds());
        return answer;
    }

    private void choose(String wanted) {
        if (wanted.equals(name)) {
            return;
        }
        Supplier<Workload> builder = workloads.get(wanted);
        if (builder == null) {
            throw new IllegalArgumentException(
                    "unknown workload '" + wanted + "'" + DidYouMean.hint(wanted, workloads.keySet()));
        }
        drop();
        workload = builder.get();
        name = wanted;
    }

    private void drop() {
        if (workload != null) {
            workload.close();
            workload = null;
            name = "";
        }
    }

    /** One line, where the project's mapper would write several. */
    private static void say(PrintStream answers, Map<String, Object> answer) {
        answers.println(Json.write(answer).lines().map(String::strip).reduce("", String::concat));
    }
}
