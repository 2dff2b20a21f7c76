package dev.tutti.cluster;

import dev.tutti.TuttiException;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The folder of a coordinator that runs on its own: its journal, its token, and where it can be reached.
 *
 * <p>Started again with the same folder it listens on the same port, takes the same token and goes on where it was.
 */
public record CoordinatorFolder(Path path) {
    /** Where a coordinator can be reached, as the folder says it. */
    private record Address(String host, int port) {}

    /** Starts the coordinator; token and journal are the folder's, so is the port where none is asked for. */
    public CoordinatorServer start(ServerSettings asked) {
        boolean anyPort = asked.port() == 0 && Files.exists(addressFile());
        CoordinatorServer server = CoordinatorServer.start(asked.folder(path)
                .token(token())
                .listen(asked.host(), anyPort ? written().port() : asked.port()));
        try {
            CoordinatorAddress address = server.address();
            AtomicFile.write(addressFile(), Json.write(new Address(address.host(), address.port())));
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Where members and launchers of the same machine reach it. */
    public CoordinatorAddress address() {
        Address address = written();
        return new CoordinatorAddress(address.host(), address.port(), token());
    }

    private Address written() {
        return Json.read(addressFile(), Address.class);
    }

    private Path addressFile() {
        return path.resolve("address.json");
    }

    /** The token; a new one, readable for this user alone, if there is none. */
    private String token() {
        Path file = path.resolve("token");
        try {
            Files.createDirectories(path);
            if (!Files.exists(file)) {
                Path temporary = Files.createTempFile(path, "token", ".new"); // for its owner alone, from the beginning
                if (Files.getFileStore(path).supportsFileAttributeView("posix")) {
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
}
