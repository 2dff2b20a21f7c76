package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import dev.tutti.comm.Messages;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The messages of some members in this JVM, over one transport. */
final class TestingMessages implements AutoCloseable {
    static final String TOKEN = "a token of the test kit";

    /** The transports that the contract is tested with. */
    enum Kind {
        MEMORY,
        /** Members of one machine, as they are in JVMs of their own. */
        SHARED_MEMORY,
        /** Members of different machines. */
        SOCKETS,
        TLS;

        boolean isSocket() {
            return this != MEMORY;
        }
    }

    private static PemFiles certificate;

    private final List<MessageExchange> exchanges = new ArrayList<>();
    private final Map<String, MessageAddress> addresses = new ConcurrentHashMap<>();
    private final Map<String, SocketMessageTransport> transports = new ConcurrentHashMap<>();

    TestingMessages(Kind kind, int count, MessageLimits limits) {
        MemoryMessageTransport.Hub hub = new MemoryMessageTransport.Hub();
        for (int i = 0; i < count; i++) {
            Member member = member(i);
            MessageTransport transport =
                    kind == Kind.MEMORY ? new MemoryMessageTransport(hub) : listen(kind, member.id(), limits);
            exchanges.add(MessageExchange.open(member, List.of(transport), limits));
        }
    }

    private SocketMessageTransport listen(Kind kind, String id, MessageLimits limits) {
        SocketMessageTransport sockets = SocketMessageTransport.listen(
                InetAddress.getLoopbackAddress(),
                (member, limit) -> Optional.ofNullable(addresses.get(member.id())),
                kind == Kind.TLS
                        ? new MessageSecurity(TOKEN, Optional.of(certificate().context()))
                        : MessageSecurity.plain(TOKEN),
                kind == Kind.SHARED_MEMORY ? limits : limits.sharedBytes(0));
        transports.put(id, sockets);
        addresses.put(id, sockets.address());
        return sockets;
    }

    static Member member(int index) {
        return new Member("member-" + index, "here", "server");
    }

    Messages of(int index) {
        return exchanges.get(index);
    }

    /** The messages to a member whose tensors came through shared memory. */
    long takenFromMemory(int index) {
        return transports.get(member(index).id()).takenFromMemory();
    }

    MessageAddress address(int index) {
        return addresses.get(member(index).id());
    }

    /** A certificate that trusts itself, made once. */
    static synchronized PemFiles certificate() {
        if (certificate == null) {
            try {
                certificate = newCertificate(Files.createTempDirectory("tutti-tls"));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        return certificate;
    }

    static PemFiles newCertificate(Path folder) throws Exception {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "member",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=member",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "password",
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException(said);
        }
        KeyStore keys = KeyStore.getInstance(store.toFile(), "password".toCharArray());
        Key key = keys.getKey("member", "password".toCharArray());
        byte[] shown = keys.getCertificate("member").getEncoded();
        Path certificateFile = pem(folder.resolve("certificate.pem"), "CERTIFICATE", shown);
        return new PemFiles(
                certificateFile, pem(folder.resolve("key.pem"), "PRIVATE KEY", key.getEncoded()), certificateFile);
    }

    private static Path pem(Path file, String what, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder().encodeToString(content);
        return Files.writeString(file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
    }

    @Override
    public void close() {
        exchanges.forEach(MessageExchange::close);
    }
}
