package dev.tutti.cluster;

import dev.tutti.TuttiException;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Runs a coordinator as a process of its own, until it is ended.
 *
 * <p>Started again with the same folder it listens on the same port, takes the same token and goes on where it was.
 */
public final class CoordinatorMain {
    private CoordinatorMain() {}

    /** Where a coordinator that runs can be reached, as its folder says it. */
    public record Address(String host, int port) {}

    public static void main(String[] arguments) {
        int code = run(List.of(arguments), System.in, System.err);
        if (code != 0) {
            // A process whose main method throws ends with code 1; what there is to say has been said.
            Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {});
            throw new TuttiException("the coordinator ended with code " + code);
        }
    }

    /**
     * Runs a coordinator until the thread is interrupted or, with {@code --until-stdin-closes}, until nothing more can be read.
     *
     * @return 0 if it ended as it should, 2 if it could not be started
     */
    public static int run(List<String> arguments, InputStream in, PrintStream errors) {
        try {
            CoordinatorArguments read = CoordinatorArguments.parse(arguments);
            Path known = read.folder().resolve("address.json");
            CoordinatorArguments settled = Files.exists(known) && read.port() == 0
                    ? read.port(Json.read(known, Address.class).port())
                    : read;
            try (CoordinatorServer server = CoordinatorServer.start(settled.settings(token(read.folder())))) {
                CoordinatorAddress address = server.address();
                byte[] text =
                        Json.write(new Address(address.host(), address.port())).getBytes(StandardCharsets.UTF_8);
                AtomicFile.write(known, out -> out.write(text));
                await(settled.untilStdinCloses(), in);
            }
            return 0;
        } catch (TuttiException | IllegalArgumentException e) {
            errors.println(e.getMessage());
            return 2;
        }
    }

    /** What a job's folder holds of its coordinator: for members and launchers of the same machine. */
    public static CoordinatorAddress addressIn(Path folder) {
        Address address = Json.read(folder.resolve("address.json"), Address.class);
        return new CoordinatorAddress(address.host(), address.port(), token(folder));
    }

    /** The token in a folder; a new one, readable for this user alone, if there is none. */
    private static String token(Path folder) {
        Path file = folder.resolve("token");
        try {
            Files.createDirectories(folder);
            if (!Files.exists(file)) {
                Path temporary =
                        Files.createTempFile(folder, "token", ".new"); // for its owner alone, from the beginning
                if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
                    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-------"));
                }
                Files.writeString(temporary, ServerSettings.newToken());
                Files.move(temporary, file);
            }
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new TuttiException(file + ": the token cannot be read or made: " + e.getMessage(), e);
        }
    }

    private static void await(boolean untilStdinCloses, InputStream in) {
        try {
            if (untilStdinCloses) {
                while (in.read() >= 0) {
                    continue;
                }
            } else {
                new CountDownLatch(1).await();
            }
        } catch (IOException | InterruptedException e) {
            return; // either is the sign to end
        }
    }
}
