package dev.tutti.federated.client;

import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The server or a client as a process of its own, to be killed: {@code server PORT FOLDER ROUNDS}, {@code client URI FOLDER NUMBER MILLIS [PHASE]}.
 * With a phase of secure aggregation the client dies when it is asked for it.
 */
public final class FaultProgram {
    private FaultProgram() {}

    static Process start(Path log, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                FaultProgram.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    public static void main(String[] arguments) {
        if (arguments[0].equals("server")) {
            FederatedJob job = ClusterRows.job(Path.of(arguments[2]))
                    .rounds(Integer.parseInt(arguments[3]))
                    .deadline(Duration.ofSeconds(3))
                    .patience(Duration.ofSeconds(60));
            try (FederatedServer server = FederatedServer.start(
                    job,
                    ListenSettings.local(Integer.parseInt(arguments[1])),
                    round -> say("round " + round.round() + " answers " + round.answers()))) {
                say("port " + server.port());
                server.await(Duration.ofMinutes(2));
                say("ended " + server.ending());
            }
        } else {
            int number = Integer.parseInt(arguments[3]);
            long millis = Long.parseLong(arguments[4]);
            String phase = arguments.length > 5 ? arguments[5] : "none";
            FederatedClient.Summary summary = FederatedClient.to(URI.create(arguments[1]))
                    .name("site" + number)
                    .folder(Path.of(arguments[2]))
                    .data("rows", ClusterRows.of(number).map(sample -> {
                        slow(millis);
                        return sample;
                    }))
                    .watch(line -> {
                        say(line);
                        if (line.endsWith(": phase " + phase)) {
                            Runtime.getRuntime().halt(9);
                        }
                    })
                    .patience(Duration.ofSeconds(60))
                    .run();
            say("ended " + summary.ending());
        }
    }

    private static void slow(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
