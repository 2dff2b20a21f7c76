package dev.tutti.comm.message;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A connection with TLS, at both ends of which a certificate is shown and checked. */
public final class TlsWire implements ByteWire {
    private static final int CHUNK = 1 << 16;

    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] reading = new byte[CHUNK];
    private final byte[] writing = new byte[CHUNK];

    private TlsWire(SSLSocket socket) throws IOException {
        this.socket = socket;
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    /** Secures a connection; within the limit, or it fails. */
    public static TlsWire over(Socket plain, SSLContext tls, boolean client, Duration limit) throws IOException {
        SSLSocket socket = (SSLSocket) tls.getSocketFactory()
                .createSocket(plain, plain.getInetAddress().getHostAddress(), plain.getPort(), true);
        socket.setUseClientMode(client);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.3"});
        socket.setSSLParameters(parameters);
        if (!client) {
            socket.setNeedClientAuth(true);
        }
        plain.setSoTimeout((int) limit.toMillis());
        socket.startHandshake();
        plain.setSoTimeout(0);
        return new TlsWire(socket);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int count = in.read(reading, 0, Math.min(CHUNK, into.remaining()));
        if (count > 0) {
            into.put(reading, 0, count);
        }
        return count;
    }

    @Override
    public long write(ByteBuffer[] from) throws IOException {
        long written = 0;
        for (ByteBuffer each : from) {
            while (each.hasRemaining()) {
                int count = Math.min(CHUNK, each.remaining());
                each.get(writing, 0, count);
                out.write(writing, 0, count);
                written += count;
            }
        }
        out.flush();
        return written;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
