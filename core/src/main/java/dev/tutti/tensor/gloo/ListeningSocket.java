package dev.tutti.tensor.gloo;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket of this process that listens on a port, and that a native library does not close when it needs no more connections.
 *
 * <p>On Linux a filter on it drops every packet that would open another connection; connections that are open stay. Elsewhere it
 * stays as it is.
 */
final class ListeningSocket {
    private static final Logger log = LoggerFactory.getLogger(ListeningSocket.class);
    private static final String LISTENS = "0A";
    private static final int SOL_SOCKET = 1;
    private static final int SO_ATTACH_FILTER = 26;
    /** The one instruction of the filter: accept 0 bytes of the packet. */
    private static final short RETURN_CONSTANT = 0x06;

    private ListeningSocket() {}

    /** Lets no further connection in on a port of this process. */
    static void refuseOn(int port) {
        if (!Platform.isLinux()) {
            log.debug("port {} stays open: there are no socket filters here", port);
            return;
        }
        try {
            OptionalInt socket = find(port);
            if (socket.isEmpty() || !attachFilter(socket.getAsInt())) {
                log.debug("port {} stays open: its socket was not found, or took no filter", port);
            }
        } catch (IOException | LinkageError | RuntimeException e) {
            log.debug("port {} stays open", port, e);
        }
    }

    private static OptionalInt find(int port) throws IOException {
        Set<String> sockets = new HashSet<>();
        for (String table : new String[] {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
            if (Files.exists(Path.of(table))) {
                collect(Path.of(table), String.format(Locale.ROOT, ":%04X", port), sockets);
            }
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                if (sockets.contains(target(descriptor))) {
                    return OptionalInt.of(
                            Integer.parseInt(descriptor.getFileName().toString()));
                }
            }
        }
        return OptionalInt.empty();
    }

    /** Columns: number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode. */
    private static void collect(Path table, String port, Set<String> into) throws IOException {
        for (String line : Files.readAllLines(table)) {
            String[] columns = line.strip().split("\\s+");
            if (columns.length > 9 && columns[1].endsWith(port) && columns[3].equals(LISTENS)) {
                into.add("socket:[" + columns[9] + "]");
            }
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    private static boolean attachFilter(int socket) {
        try (Memory instruction = new Memory(8);
                Memory program = new Memory(16)) {
            instruction.clear();
            instruction.setShort(0, RETURN_CONSTANT);
            program.clear();
            program.setShort(0, (short) 1);
            program.setPointer(8, instruction);
            return NativeLibrary.getInstance("c")
                            .getFunction("setsockopt")
                            .invokeInt(new Object[] {socket, SOL_SOCKET, SO_ATTACH_FILTER, program, 16})
                    == 0;
        }
    }
}
