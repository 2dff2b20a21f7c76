package dev.tutti.jobs.queue;

import dev.tutti.TuttiException;

/** Cores and memory: of a machine, or asked for by a job. */
public record Resources(int cores, long memoryMegabytes) {
    public Resources {
        if (cores < 0 || memoryMegabytes < 0) {
            throw new TuttiException(
                    "resources are 0 or more: received " + cores + " cores and " + memoryMegabytes + " MB");
        }
    }

    /** All cores of this machine, and nine tenths of its memory. */
    public static Resources ofThisMachine() {
        var system = java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        long bytes = system instanceof com.sun.management.OperatingSystemMXBean known ? known.getTotalMemorySize() : 0;
        return new Resources(Runtime.getRuntime().availableProcessors(), bytes / 10 * 9 >> 20);
    }

    Resources minus(Resources other) {
        return new Resources(Math.max(0, cores - other.cores), Math.max(0, memoryMegabytes - other.memoryMegabytes));
    }

    boolean holds(Resources other) {
        return other.cores <= cores && other.memoryMegabytes <= memoryMegabytes;
    }
}
