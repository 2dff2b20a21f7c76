package dev.tutti.host;

import com.sun.jna.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What this machine's processor can do, where Linux tells. */
public final class Processor {
    private static final String DESCRIPTION = describe();

    private static final List<String> AVX512 = List.of(" avx512f", " avx512bw", " avx512vl", " avx512dq");

    private Processor() {}

    public static boolean isIntels() {
        return DESCRIPTION.contains("GenuineIntel");
    }

    public static boolean hasAvx2() {
        return DESCRIPTION.contains(" avx2");
    }

    /** With the parts that kernels for matrices need. */
    public static boolean hasAvx512() {
        return AVX512.stream().allMatch(DESCRIPTION::contains);
    }

    /** AMD's Zen 4, which knows AVX-512 and computes it in two halves. */
    static boolean halvesLongVectors() {
        return hasAvx512()
                && DESCRIPTION.contains("AuthenticAMD")
                && DESCRIPTION.lines().anyMatch(line -> line.matches("cpu family\\s*: 25"));
    }

    /** Nothing where it is not known. */
    private static String describe() {
        if (!Platform.isLinux() || !Platform.isIntel() || !Platform.is64Bit()) {
            return "";
        }
        try {
            return Files.readString(Path.of("/proc/cpuinfo"));
        } catch (IOException e) {
            return "";
        }
    }
}
