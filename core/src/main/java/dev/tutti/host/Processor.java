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

    private static final int LEAF_OF_TILES = 0x1d;

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

    /** Products of bfloat16 by AVX-512, or by tiles. */
    public static boolean hasBfloat16() {
        return hasAvx512() && DESCRIPTION.contains(" avx512_bf16");
    }

    /** Arithmetic of float16 by AVX-512. */
    public static boolean hasFloat16() {
        return hasAvx512() && DESCRIPTION.contains(" avx512_fp16");
    }

    /** Products of eight-bit integers by AVX-512. */
    public static boolean hasInt8() {
        return hasAvx512() && DESCRIPTION.contains(" avx512_vnni");
    }

    /** Tiles (AMX) that libraries can use: the processor names them, and says how large they are. */
    public static boolean hasTiles() {
        return namesTiles() && !hasUnusableTiles();
    }

    /**
     * Whether the processor names tiles (AMX) but does not say how large they are: some virtual machines cut the processor's
     * description off before leaf 0x1D, where that stands. oneDNN then configures no tiles, and its first product by tiles is an
     * illegal instruction, which ends the JVM.
     */
    public static boolean hasUnusableTiles() {
        return unusableTiles(DESCRIPTION);
    }

    static boolean unusableTiles(String description) {
        return description.contains(" amx_tile")
                && description
                        .lines()
                        .filter(line -> line.startsWith("cpuid level"))
                        .map(line -> line.substring(line.indexOf(':') + 1).strip())
                        .anyMatch(level -> !level.matches("\\d+") || Integer.parseInt(level) < LEAF_OF_TILES);
    }

    private static boolean namesTiles() {
        return DESCRIPTION.contains(" amx_tile") && DESCRIPTION.contains(" amx_bf16");
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
