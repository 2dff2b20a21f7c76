package dev.tutti.cluster.launch;

import dev.tutti.MachineMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * How much Java heap the JVMs of a job get that this one starts.
 *
 * <p>A JVM takes a quarter of the machine unless told otherwise, so four of them could claim all of it. Here they share a quarter,
 * with {@value #LEAST_MEGABYTES} MB for each at least: tensors are not in the heap, only the data that is read ahead or kept in
 * memory. The young generation stays under {@value #YOUNG_MEGABYTES} MB: what a step leaves behind fits many times, and a larger one
 * would be filled to its end before anything is collected.
 */
final class HeapOptions {
    static final long LEAST_MEGABYTES = 1024;
    static final long YOUNG_MEGABYTES = 256;

    /**
     * For members of other roles than workers: they hold tensors and answer messages, whose heads and ids live for as long as a request. A
     * young generation is filled before it is collected, and beside the rows of a table it would be the largest part of the rest.
     */
    static final List<String> OF_ROLES = List.of("-XX:MaxNewSize=64m");

    private static final List<String> OF_HEAP =
            List.of("-Xmx", "-XX:MaxHeapSize", "-XX:MaxRAMPercentage", "-XX:MaxRAMFraction");
    private static final List<String> OF_YOUNG = List.of("-Xmn", "-XX:MaxNewSize", "-XX:NewSize", "-XX:NewRatio");

    private HeapOptions() {}

    /** Whether a size is written as the JVM wants it, such as {@code 2g} or {@code 800m}. */
    static boolean isSize(String heap) {
        return heap.matches("[1-9]\\d{0,6}[mMgG]");
    }

    /**
     * The options to add for one JVM.
     *
     * @param inherited the options it has anyway; where they say how large the heap is, that counts
     * @param jvms how many are started
     * @param heap the size that was asked for; may be null
     */
    static List<String> of(List<String> inherited, int jvms, String heap) {
        return of(inherited, jvms, heap, MachineMemory.bytes());
    }

    static List<String> of(List<String> inherited, int jvms, String heap, OptionalLong memory) {
        List<String> options = new ArrayList<>();
        boolean said = has(inherited, OF_HEAP);
        if (heap != null) {
            options.add("-Xmx" + heap); // of two, the JVM takes the last
        } else if (!said && memory.isPresent()) {
            long share = (memory.getAsLong() >> 20) / 4 / Math.max(1, jvms);
            options.add("-Xmx" + Math.max(LEAST_MEGABYTES, share) + "m");
        }
        if (heap == null && !said && !has(inherited, OF_YOUNG)) {
            options.add("-XX:MaxNewSize=" + YOUNG_MEGABYTES + "m");
        }
        return options;
    }

    private static boolean has(List<String> options, List<String> kinds) {
        return options.stream().anyMatch(option -> kinds.stream().anyMatch(option::startsWith));
    }
}
