package dev.tutti.tensor.gloo;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.ptr.IntByReference;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.TensorException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;
import org.bytedeco.javacpp.chrono.Milliseconds;
import org.bytedeco.pytorch.IntOptional;
import org.bytedeco.pytorch.Store;
import org.bytedeco.pytorch.TCPStore;
import org.bytedeco.pytorch.TCPStoreOptions;

/**
 * Where members of a Gloo group find each other's addresses: one of them hosts it, the others connect.
 *
 * <p>It is needed while the group comes together and lives as long as the host's {@link GlooLinks}.
 */
public final class GlooStore implements AutoCloseable {
    private static final int ANY_PORT = 0;

    private final TCPStore own;
    private final Store twin;

    private GlooStore(TCPStore own, Store twin) {
        this.own = own;
        this.twin = twin;
    }

    /** Hosts a store that listens on one address only, at a free port. */
    public static GlooStore host(InetAddress address, Duration timeout) {
        Engine.load();
        TCPStoreOptions options = options(timeout).isServer(true).port((short) ANY_PORT);
        if (Platform.isLinux() && address instanceof Inet4Address) {
            int[] listener = listen(address);
            options.masterListenFd(new IntOptional(listener[0])).port((short) listener[1]);
        }
        return open(address, options);
    }

    public static GlooStore connect(InetAddress address, int port, Duration timeout) {
        Engine.load();
        return open(address, options(timeout).isServer(false).port((short) port));
    }

    private static TCPStoreOptions options(Duration timeout) {
        return new TCPStoreOptions()
                .waitWorkers(false)
                .useLibUV(false)
                .timeout(new Milliseconds(Math.max(1, timeout.toMillis())));
    }

    private static GlooStore open(InetAddress address, TCPStoreOptions options) {
        return NativeConversions.call("connecting to the store at " + address.getHostAddress(), () -> {
            // What a constructor gives counts no references: C++ that takes it would free it under us, or never. So
            // only
            // its twin, which does count, is ever handed over.
            TCPStore own = new TCPStore(address.getHostAddress(), options);
            own.retainReference();
            Store twin = own.clone();
            twin.retainReference();
            return new GlooStore(own, twin);
        });
    }

    /** A socket of our own, since the engine's would listen on every address of the machine. */
    private static int[] listen(InetAddress address) {
        NativeLibrary c = NativeLibrary.getInstance("c");
        int inet = 2;
        int stream = 1 | 0x80000; // SOCK_STREAM | SOCK_CLOEXEC
        int fd = call(c, "socket", inet, stream, 0);
        Memory name = new Memory(16);
        name.clear();
        name.setShort(0, (short) inet);
        name.write(4, address.getAddress(), 0, 4);
        call(c, "bind", fd, name, 16);
        call(c, "listen", fd, 128);
        call(c, "getsockname", fd, name, new IntByReference(16));
        int port = (name.getByte(2) & 0xff) << 8 | name.getByte(3) & 0xff;
        return new int[] {fd, port};
    }

    private static int call(NativeLibrary c, String name, Object... arguments) {
        Function function = c.getFunction(name);
        int result = function.invokeInt(arguments);
        if (result < 0) {
            throw new TensorException("the store cannot listen: " + name + " failed");
        }
        return result;
    }

    public int port() {
        return own.getPort() & 0xffff;
    }

    Store store() {
        return twin;
    }

    @Override
    public void close() {
        if (!own.isNull()) {
            twin.releaseReference();
            own.releaseReference();
        }
    }
}
