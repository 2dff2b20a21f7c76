package dev.tutti.jobs.queue;

import dev.tutti.TuttiException;
import java.io.File;

/** Cores, memory and devices such as NVIDIA cards: of a machine, or asked for by a job. */
public record Resources(int cores, long memoryMegabytes, int devices) {
    public Resources {
        if (cores < 0 || memoryMegabytes < 0 || devices < 0) {
            throw new TuttiException("resources are 0 or more: received " + cores + " cores, " + memoryMegabytes
                    + " MB and " + devices + " devices");
        }
    }

    /** Without devices. */
    public Resources(int cores, long memoryMegabytes) {
        this(cores, memoryMegabytes, 0);
    }

    /** All cores of this machine, nine tenths of its memory, and its NVIDIA cards. */
    public static Resources ofThisMachine() {
        var system = java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        long bytes = system instanceof com.sun.management.OperatingSystemMXBean known ? known.getTotalMemorySize() : 0;
        String[] cards = new File("/dev").list((folder, name) -> name.matches("nvidia[0-9]+"));
        return new Resources(
                Runtime.getRuntime().availableProcessors(), bytes / 10 * 9 >> 20, cards == null ? 0 : cards.length);
    }

    Resources minus(Resources other) {
        return new Resources(
                Math.max(0, cores - other.cores),
                Math.max(0, memoryMegabytes - other.memoryMegabytes),
                Math.max(0, devices - other.devices));
    }

    boolean holds(Resources other) {
        return other.cores <= cores && other.memoryMegabytes <= memoryMegabytes && other.devices <= devices;
    }
}
