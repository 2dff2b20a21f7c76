package dev.tutti.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The program of a stranger: connects to the ports it is given, as {@code address:port}, several times each, sends what no member would
 * send, and keeps all connections open until its standard input ends. It says how many were accepted.
 *
 * <p>Only addresses of {@link NetworkHosts} and of the loopback interface are taken.
 */
public final class HostileMain {
    static final String DONE = "connections: ";
    private static final int CONNECT_MILLIS = 300;

    private HostileMain() {}

    public static void main(String[] targets) throws IOException {
        List<Socket> open = new ArrayList<>();
        for (String target : targets) {
            int colon = target.lastIndexOf(':');
            String address = target.substring(0, colon);
            if (!address.startsWith("10.213.7.") && !address.startsWith("127.")) {
                throw new IllegalArgumentException("not an address of a test: " + address);
            }
            InetSocketAddress where = new InetSocketAddress(address, Integer.parseInt(target.substring(colon + 1)));
            for (byte[] bytes : payloads()) {
                attack(where, bytes, open);
            }
        }
        System.out.println(DONE + open.size());
        System.in.transferTo(java.io.OutputStream.nullOutputStream());
        for (Socket socket : open) {
            socket.close();
        }
    }

    private static void attack(InetSocketAddress where, byte[] bytes, List<Socket> open) {
        Socket socket = new Socket();
        try {
            socket.connect(where, CONNECT_MILLIS);
            open.add(socket);
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        } catch (IOException e) {
            System.err.println(where + ": " + e.getMessage()); // refused, or closed while it was sending
        }
    }

    /** Nothing; a few bytes; noise; half of HTTP/2, of TLS; a key of 3 GB for a store; the numbers with which Gloo begins. */
    static List<byte[]> payloads() {
        byte[] noise = new byte[1 << 16];
        new Random(7).nextBytes(noise);
        List<byte[]> payloads = new ArrayList<>(List.of(
                new byte[0],
                new byte[] {1, 2, 3},
                noise,
                "PRI * HTTP/2.0\r\n\r\nSM".getBytes(StandardCharsets.US_ASCII),
                ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\377".repeat(500)).getBytes(StandardCharsets.ISO_8859_1),
                new byte[] {0x16, 3, 1, 2, 0, 1, 0},
                littleEndian(20)
                        .put((byte) 8)
                        .putInt(0x3C85F7CE)
                        .put((byte) 0)
                        .putLong(3L << 30)
                        .array()));
        for (long number = 0; number < 3; number++) {
            payloads.add(littleEndian(8).putLong(number).array());
        }
        return payloads;
    }

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
