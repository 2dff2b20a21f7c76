package dev.tutti.testkit;

import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A JVM that does a scenario, as the one sees it that started it: where it is, what it says, what it came to. */
final class MemberProcess {
    private static final Logger LOG = LoggerFactory.getLogger(MemberProcess.class);
    private static final long LAST_WORDS_MILLIS = 5000;

    private final String name;
    private final Process process;
    private final Thread reader;
    private final List<String> said = new CopyOnWriteArrayList<>();
    private volatile MemberResult result;

    /** Hears where the chief is, before it goes on. */
    interface Listener {
        void step(String process, int epoch, long step);
    }

    MemberProcess(String name, ChildJvm jvm, String greeting, Listener listener) {
        this.name = name;
        process = jvm.start();
        reader = follow(process.getInputStream(), line -> hear(line, listener));
        follow(process.getErrorStream(), line -> {
            said.add(line);
            LOG.debug("[{}] {}", name, line);
        });
        say(greeting);
    }

    private Thread follow(InputStream from, Consumer<String> to) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader lines =
                            new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
                        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                            to.accept(line);
                        }
                    } catch (IOException | UncheckedIOException e) {
                        LOG.debug("{} is not heard of any more", name, e);
                    }
                },
                "testkit-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void hear(String line, Listener listener) {
        if (line.startsWith(TrainingScenarioMain.STEP)) {
            String[] words = line.split(" ", -1);
            listener.step(name, Integer.parseInt(words[1]), Long.parseLong(words[2]));
            say("go");
        } else if (line.startsWith(TrainingScenarioMain.RESULT)) {
            result = Json.read(
                    line.substring(TrainingScenarioMain.RESULT.length()), MemberResult.class, "the result of " + name);
        } else {
            said.add(line);
        }
    }

    private void say(String line) {
        try {
            OutputStream to = process.getOutputStream();
            to.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            to.flush();
        } catch (IOException e) {
            LOG.debug("{} has ended", name, e);
        }
    }

    String name() {
        return name;
    }

    Process process() {
        return process;
    }

    /** What it and the JVMs it started have written to their logs. */
    List<String> said() {
        return said;
    }

    /** What it came to, once its process has ended; nothing when it was killed. */
    Optional<MemberResult> result() {
        try {
            reader.join(LAST_WORDS_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.ofNullable(result);
    }
}
