package dev.tutti.tune.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.json.Json;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains trials in a JVM of its own, which stays for the next one. A JVM that ends or falls silent is lost with the trial it worked on;
 * the next trial gets another one.
 */
final class ProcessPlace implements TrialPlace {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessPlace.class);
    /** A process tells every two seconds that it lives. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private static final String END = "";

    private final int number;
    private final Path folder;
    private Process process;
    private Writer orders;
    private BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    /** @param folder where its log is written */
    ProcessPlace(int number, Path folder) {
        this.number = number;
        this.folder = folder;
    }

    @Override
    public TrialEnding run(TrialOrder order, EpochJudge judge) {
        try {
            begin();
            tell(Json.json()
                    .writer()
                    .without(SerializationFeature.INDENT_OUTPUT)
                    .writeValueAsString(order));
            while (true) {
                Optional<PlaceMessage> message = next();
                if (message.isEmpty()) {
                    return lost("its process (" + process.pid() + ") has ended or fallen silent");
                }
                if (message.get().ending() != null) {
                    return message.get().ending();
                }
                if (message.get().epoch() != null) {
                    boolean goesOn =
                            judge.goesOn(message.get().epoch(), message.get().measured());
                    tell(goesOn ? TrialProcessMain.GO_ON : TrialProcessMain.PAUSE);
                }
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a message cannot be written or read", e);
        } catch (IOException e) {
            return lost("its process does not read: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return lost("the search was interrupted");
        }
    }

    private TrialEnding lost(String reason) {
        close();
        return new TrialEnding(TrialEnding.How.LOST, reason);
    }

    private void tell(String line) throws IOException {
        orders.write(line + "\n");
        orders.flush();
    }

    private Optional<PlaceMessage> next() throws InterruptedException, JsonProcessingException {
        String line = lines.poll(SILENCE.toMillis(), TimeUnit.MILLISECONDS);
        return line == null || line.equals(END)
                ? Optional.empty()
                : Optional.of(Json.json().readValue(line.substring(PlaceMessage.MARK.length()), PlaceMessage.class));
    }

    private void begin() {
        if (process != null && process.isAlive()) {
            return;
        }
        File log = folder.resolve("place-" + number + ".log").toFile();
        process = ChildJvm.of(TrialProcessMain.class.getName(), "trials-" + number, List.of())
                .start(ProcessBuilder.Redirect.appendTo(log));
        orders = process.outputWriter(StandardCharsets.UTF_8);
        lines = new LinkedBlockingQueue<>();
        read(process, lines);
        LOG.debug("place {} is process {}", number, process.pid());
    }

    private static void read(Process from, BlockingQueue<String> to) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader in =
                            new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
                        for (String line = in.readLine(); line != null; line = in.readLine()) {
                            if (line.startsWith(PlaceMessage.MARK)) {
                                to.add(line);
                            }
                        }
                    } catch (IOException e) {
                        // as good as an end
                    }
                    to.add(END);
                },
                "tutti-trial-place");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly();
            process = null;
        }
    }
}
