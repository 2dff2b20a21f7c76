package dev.tutti.tune.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The program of a {@link ProcessPlace}: it takes orders from its standard input, one on a line, trains, and tells what it measured on
 * its standard output. It ends with the process that started it, however that ends.
 */
public final class TrialProcessMain {
    static final String GO_ON = "go on";
    static final String PAUSE = "pause";
    static final long ALIVE_MILLIS = 2000;
    private static final int PARENT_GONE = 129;

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final PrintStream out;

    private TrialProcessMain(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws InterruptedException {
        HostTuning.apply();
        TrialProcessMain main = new TrialProcessMain(System.out);
        System.setOut(System.err); // what else is written here is for the log
        main.read();
        main.tellAlive();
        try (ThreadPlace place = new ThreadPlace()) {
            while (true) {
                TrialOrder order = Json.read(main.lines.take(), TrialOrder.class, "the order");
                TrialEnding ending = place.run(order, main::judge);
                main.tell(new PlaceMessage(null, null, ending));
            }
        }
    }

    private boolean judge(int epoch, java.util.Map<String, Double> measured) {
        tell(new PlaceMessage(epoch, measured, null));
        try {
            return lines.take().equals(GO_ON); // the parent's end ends this process
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private synchronized void tell(PlaceMessage message) {
        try {
            out.println(PlaceMessage.MARK
                    + Json.json()
                            .writer()
                            .without(com.fasterxml.jackson.databind.SerializationFeature.INDENT_OUTPUT)
                            .writeValueAsString(message));
            out.flush();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a message cannot be written", e);
        }
    }

    private void tellAlive() {
        Thread thread = new Thread(
                () -> {
                    while (true) {
                        tell(PlaceMessage.alive());
                        try {
                            Thread.sleep(ALIVE_MILLIS);
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                },
                "tutti-trial-alive");
        thread.setDaemon(true);
        thread.start();
    }

    private void read() {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader in =
                            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                        for (String line = in.readLine(); line != null; line = in.readLine()) {
                            lines.add(line);
                        }
                    } catch (IOException e) {
                        // as good as an end
                    }
                    Runtime.getRuntime().halt(PARENT_GONE);
                },
                "tutti-trial-orders");
        thread.setDaemon(true);
        thread.start();
    }
}
