package dev.tutti;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/** How much memory there is: that of the container where one has a limit, otherwise that of the machine. */
public final class MachineMemory {
    private MachineMemory() {}

    /** In bytes; empty where the JVM does not know. */
    public static OptionalLong bytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                        && system.getTotalMemorySize() > 0
                ? OptionalLong.of(system.getTotalMemorySize())
                : OptionalLong.empty();
    }
}
