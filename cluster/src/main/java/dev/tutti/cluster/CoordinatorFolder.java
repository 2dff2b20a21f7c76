package dev.tutti.cluster;

import dev.tutti.FileKind;
import dev.tutti.cluster.coordinator.PrivateFiles;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder through which a coordinator is found: where it can be reached, its token, and its journal if it runs on its own.
 *
 * <p>Started again with the same folder it listens on the same port, takes the same token and goes on where it was. One that lives
 * in a driver is only announced here while it runs.
 */
public record CoordinatorFolder(Path path) {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorFolder.class);

    /** Where a coordinator can be reached, as the folder says it. */
    private record Address(String host, int port, List<CoordinatorAddress.Endpoint> places) {
        CoordinatorAddress with(String token, TlsFiles tls) {
            return new CoordinatorAddress(
                    places == null ? List.of(new CoordinatorAddress.Endpoint(host, port)) : places, token, tls);
        }
    }

    /** Starts the coordinator; token and journal are the folder's, so is the port where none is asked for. */
    public CoordinatorServer start(ServerSettings asked) {
        boolean anyPort = asked.port() == 0 && Files.exists(addressFile());
        CoordinatorServer server = CoordinatorServer.start(asked.folder(path)
                .token(tokenOrNew())
                .listen(asked.host(), anyPort ? written().port() : asked.port()));
        try {
            writeAddress(server);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Lets people of this machine find a coordinator that lives in this process, until it is withdrawn. */
    public void announce(CoordinatorServer server) {
        withdraw();
        try {
            Files.createDirectories(path);
            writeToken(server.address().token());
        } catch (IOException e) {
            throw new FileException(tokenFile().toString(), "the token cannot be written: " + e.getMessage(), e);
        }
        writeAddress(server);
    }

    /** The coordinator that was announced ends. */
    public void withdraw() {
        try {
            Files.deleteIfExists(addressFile());
            Files.deleteIfExists(tokenFile());
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.debug("{} stays behind", path, e);
        }
    }

    private void writeAddress(CoordinatorServer server) {
        CoordinatorAddress address = server.address();
        AtomicFile.write(addressFile(), Json.write(new Address(address.host(), address.port(), null)));
    }

    /** Lets people of this machine find a coordinator of several processes. */
    public void announce(CoordinatorAddress replicated) {
        AtomicFile.write(
                addressFile(), Json.write(new Address(replicated.host(), replicated.port(), replicated.places())));
    }

    /** Whether a coordinator was started with this folder, or announced in it. */
    public boolean exists() {
        return Files.exists(addressFile());
    }

    /**
     * Where people, members and launchers of the same machine reach it.
     *
     * @param tls whom to believe, or null where it speaks without TLS
     */
    public CoordinatorAddress address(TlsFiles tls) {
        return written().with(token(), tls);
    }

    private Address written() {
        return Json.read(addressFile(), Address.class);
    }

    private Path addressFile() {
        return path.resolve("address.json");
    }

    private Path tokenFile() {
        return path.resolve("token");
    }

    /** The token that was written here; reading it creates no file. */
    private String token() {
        try {
            return Files.readString(tokenFile()).strip();
        } catch (NoSuchFileException e) {
            throw new FileException(
                    tokenFile().toString(), "there is no token: the coordinator that was here has ended", e);
        } catch (IOException e) {
            throw new FileException(tokenFile().toString(), "the token cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * The token of this folder, which becomes that of a file: processes that are one coordinator have one token.
     *
     * @throws FileException if the folder has another one already
     */
    public String tokenFrom(Path file) {
        try {
            String token = Files.readString(FileKind.require(file)).strip();
            Files.createDirectories(path);
            if (!Files.exists(tokenFile(), LinkOption.NOFOLLOW_LINKS)) {
                writeToken(token);
            }
            if (!tokenOrNew().equals(token)) {
                throw new FileException(tokenFile().toString(), "is another token than that of " + file);
            }
            return token;
        } catch (IOException e) {
            throw new FileException(file.toString(), "the token cannot be read: " + e.getMessage(), e);
        }
    }

    /** The token; a new one, readable for this user alone, if there is none. */
    public String tokenOrNew() {
        try {
            Files.createDirectories(path);
            if (Files.exists(tokenFile(), LinkOption.NOFOLLOW_LINKS)) {
                PrivateFiles.requireOwn(tokenFile());
            } else {
                writeToken(ServerSettings.newToken());
            }
        } catch (IOException e) {
            throw new FileException(tokenFile().toString(), "the token cannot be made: " + e.getMessage(), e);
        }
        return token();
    }

    private void writeToken(String token) throws IOException {
        Path temporary = Files.createTempFile(path, "token", ".new"); // for its owner alone, from the beginning
        if (Files.getFileStore(path).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-------"));
        }
        Files.writeString(temporary, token);
        Files.move(temporary, tokenFile());
    }
}
