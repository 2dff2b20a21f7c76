package dev.tutti.tensor;

import dev.tutti.host.NativeLibrarySettings;
import java.io.IOException;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.pytorch.global.torch;

/**
 * The native engine of this JVM: loaded once, with the settings that make it fast.
 *
 * <p>Loading happens by itself when the first tensor is made; call {@link #load()} to choose the moment.
 */
public final class Engine {
    /** Far more than tests of many workers on few cores need; each thread costs memory and time, not only its work. */
    private static final int MOST_THREADS = 256;

    private static final ThreadLocal<Integer> threads = new ThreadLocal<>();
    private static Blas blas;
    private static volatile boolean loaded;
    private static boolean blockedLayout;

    private Engine() {}

    /** Loads libtorch if that has not happened yet. */
    public static void load() {
        if (!loaded) {
            loadOnce();
        }
    }

    /** The one place where natives are loaded. */
    private static synchronized void loadOnce() {
        if (loaded) {
            return;
        }
        NativeLibrarySettings.apply();
        blas = Blas.choose();
        try {
            torch.get_num_threads();
            blockedLayout = torch.hasMKLDNN();
        } catch (LinkageError e) {
            throw new TensorException(
                    "the native engine cannot be loaded on " + System.getProperty("os.name") + " "
                            + System.getProperty("os.arch")
                            + ": is the pytorch artifact for this platform on the class path? (" + e.getMessage() + ")",
                    e);
        }
        loaded = true;
    }

    /** Cores this JVM may use. */
    public static int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    /**
     * Says how many cores the operations that this thread starts may use. Workers that train side by side in one JVM take one
     * each; a model that trains alone takes all.
     */
    public static void useThreads(int count) {
        requireThreads(count);
        load();
        Integer current = threads.get();
        if (current == null || current != count) {
            torch.get_num_threads(); // initialises the pool of this thread; without it the next call is forgotten
            torch.set_num_threads(count);
            blas.useThreads(count);
            threads.set(count);
        } else {
            blas.useThreadsAgain(count);
        }
    }

    /**
     * Requires a number of threads that this machine can start.
     *
     * @throws TensorException if there are none, or many times as many as it has cores
     */
    public static void requireThreads(int count) {
        int most = Math.max(MOST_THREADS, 4 * cores());
        if (count < 1 || count > most) {
            throw new TensorException("threads: expected from 1 to " + most + " (this machine has " + cores()
                    + " cores), received " + count);
        }
    }

    /** How many cores the operations that this thread starts use. */
    public static int threads() {
        load();
        return torch.get_num_threads();
    }

    /** The version of libtorch and of its Java bindings. */
    public static String version() {
        try {
            return Loader.getVersion("org.bytedeco", "pytorch");
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** The library behind matrix products: {@code openblas} or {@code mkl}. */
    public static String blas() {
        load();
        return blas.name();
    }

    /** True when libtorch has oneDNN, with its blocked layout for images. */
    static boolean hasBlockedLayout() {
        load();
        return blockedLayout;
    }

    /** True when libtorch was built for CUDA and a device answers. */
    public static boolean hasCuda() {
        load();
        return torch.cuda_is_available();
    }
}
