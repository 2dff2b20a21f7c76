package dev.tutti.cluster.rpc;

import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What tells this machine from others that may have the same name: equal for all processes that see each other and can share memory.
 *
 * <p>On Linux it follows from the boot of the kernel, the file system for shared memory and the space of process numbers, so that
 * containers that share nothing count as machines of their own. Elsewhere it follows from the addresses of the network interfaces.
 */
final class MachineId {
    private static final String HERE = find();

    private MachineId() {}

    static String here() {
        return HERE;
    }

    private static String find() {
        List<String> parts = new ArrayList<>();
        Path boot = Path.of("/proc/sys/kernel/random/boot_id");
        try {
            if (Files.isReadable(boot)) {
                parts.add(Files.readString(boot).strip());
                parts.add(Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString());
                parts.add(String.valueOf(Files.getAttribute(Path.of("/dev/shm"), "unix:dev")));
            } else {
                NetworkInterface.networkInterfaces().forEach(each -> parts.add(hardware(each)));
            }
        } catch (IOException | RuntimeException e) {
            parts.add("unknown: " + e.getClass().getSimpleName()); // the same for all processes here
        }
        CRC32C checksum = new CRC32C();
        checksum.update(parts.toString().getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) checksum.getValue());
    }

    private static String hardware(NetworkInterface each) {
        try {
            byte[] address = each.getHardwareAddress();
            return address == null ? "" : HexFormat.of().formatHex(address);
        } catch (IOException e) {
            return "";
        }
    }
}
