package dev.tutti.testkit;

import dev.tutti.TuttiException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Hosts of a network of its own, as Linux network namespaces: processes of one can reach those of another only through that network, and
 * share no memory and no name with them. Nothing outside of it can be reached, and it cannot be reached from outside.
 *
 * <p>Needs root and the command {@code ip}; {@link #unavailable} says what is missing.
 */
public final class NetworkHosts implements AutoCloseable {
    private static final String SUBNET = "10.213.7.";
    private static final long COMMAND_SECONDS = 20;
    private static final String LISTENS = "0A";
    /** An address of a card that no host has: what is sent to it arrives nowhere. */
    private static final String NOWHERE = "02:00:00:00:de:ad";

    private final String prefix =
            "tutti-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime() & 0xffff);
    private final String wires = prefix + "-wires";
    private final List<String> namespaces = new ArrayList<>();
    private final EmulatedSwitch between; // null: a bridge of the kernel

    private final Thread atExit = new Thread(this::removeAll, "testkit-removes-hosts");

    private NetworkHosts(EmulatedSwitch between) {
        this.between = between;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Why there cannot be such hosts here; empty if there can. */
    public static Optional<String> unavailable() {
        if (!Files.isDirectory(Path.of("/proc/self/ns"))) {
            return Optional.of("network namespaces are a matter of Linux");
        }
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("only root can make network namespaces");
        }
        try (NetworkHosts one = create(1)) {
            one.run("ip", "netns", "exec", one.namespaces.get(0), "unshare", "--mount", "--uts", "true");
            return Optional.empty();
        } catch (TuttiException e) {
            return Optional.of(e.getMessage() + " (on Debian: apt-get install iproute2)");
        }
    }

    /** So many hosts, all of which can reach each other. */
    public static NetworkHosts create(int count) {
        return create(count, null);
    }

    /**
     * The same with links that can have delays on every kernel: this process carries what hosts send each other. Up to some gigabits a
     * second, for all links together.
     */
    public static NetworkHosts emulated(int count) {
        return create(count, new EmulatedSwitch());
    }

    /** With delays: by the kernel where it can, otherwise by this process. */
    public static NetworkHosts withDelays(int count) {
        return delaysUnavailable().isEmpty() ? create(count) : emulated(count);
    }

    private static NetworkHosts create(int count, EmulatedSwitch between) {
        NetworkHosts hosts = new NetworkHosts(between);
        try {
            hosts.addNamespace(hosts.wires);
            if (between == null) {
                hosts.run("ip", "-n", hosts.wires, "link", "add", "wires", "type", "bridge");
                hosts.run("ip", "-n", hosts.wires, "link", "set", "wires", "up");
            }
            for (int i = 0; i < count; i++) {
                hosts.addHost(i);
            }
            return hosts;
        } catch (RuntimeException e) {
            hosts.close();
            throw e;
        }
    }

    private void addNamespace(String name) {
        run("ip", "netns", "add", name);
        namespaces.add(name);
    }

    private void addHost(int number) {
        String name = prefix + "-" + number;
        addNamespace(name);
        if (between == null) {
            String plug = "plug" + number;
            run("ip", "link", "add", "eth0", "netns", name, "type", "veth", "peer", "name", plug, "netns", wires);
            run("ip", "-n", wires, "link", "set", plug, "master", "wires", "up");
        } else {
            String device = "tt" + Long.toHexString(System.nanoTime() & 0xffffffffffL);
            between.addPort(device);
            run("ip", "link", "set", device, "netns", name, "name", "eth0", "mtu", "" + EmulatedSwitch.MTU);
        }
        run("ip", "-n", name, "address", "add", address(number) + "/24", "dev", "eth0");
        run("ip", "-n", name, "link", "set", "eth0", "up");
        run("ip", "-n", name, "link", "set", "lo", "up");
    }

    /** The address of a host. */
    public String address(int host) {
        return SUBNET + (host + 1);
    }

    private String namespace(int host) {
        return namespaces.get(host + 1);
    }

    /**
     * What stands before a command that is to run on a host, with shared memory of its own.
     *
     * @param name the name of the host; several may have the same
     */
    public List<String> within(int host, String name) {
        return List.of(
                "ip",
                "netns",
                "exec",
                namespace(host),
                "unshare",
                "--mount",
                "--uts",
                "sh",
                "-c",
                "mount -t tmpfs none /dev/shm && hostname " + name + " && exec \"$@\"",
                "sh");
    }

    /**
     * Why links cannot have a delay, losses or another order here; empty if they can. A bandwidth they can have wherever there are hosts.
     */
    public static Optional<String> delaysUnavailable() {
        try (NetworkHosts one = create(1)) {
            one.shape(0, LinkShape.megabits(0).delay(1));
            return Optional.empty();
        } catch (TuttiException e) {
            return Optional.of(e.getMessage() + " (the kernel needs the module sch_netem)");
        }
    }

    /**
     * Gives the link of a host a bandwidth, in both directions, and a delay, losses and another order to what the host sends.
     *
     * @throws TuttiException if the kernel cannot do so
     */
    public void shape(int host, LinkShape link) {
        if (between != null) {
            between.shape(host, link);
            return;
        }
        tc(namespace(host), "eth0", link.discipline());
        if (link.megabits() > 0) {
            tc(wires, "plug" + host, link.bandwidth());
        }
    }

    private void tc(String namespace, String device, List<String> discipline) {
        List<String> command =
                new ArrayList<>(List.of("tc", "-n", namespace, "qdisc", "replace", "dev", device, "root"));
        command.addAll(discipline);
        run(command.toArray(String[]::new));
    }

    /**
     * Lets nothing that a host sends to another arrive there any more; neither is told so. What the other one sends still arrives.
     */
    public void cut(int from, int to) {
        run(
                "ip",
                "-n",
                namespace(from),
                "neigh",
                "replace",
                address(to),
                "lladdr",
                NOWHERE,
                "dev",
                "eth0",
                "nud",
                "permanent");
    }

    /** Cuts some hosts off from all others, in both directions. */
    public void partition(List<Integer> island) {
        forEachPair(island, this::cut);
    }

    /** What a host sends to another arrives again. */
    public void heal(int from, int to) {
        run("ip", "-n", namespace(from), "neigh", "delete", address(to), "dev", "eth0");
    }

    /** Ends a partition. */
    public void healPartition(List<Integer> island) {
        forEachPair(island, this::heal);
    }

    private interface Direction {
        void change(int from, int to);
    }

    private void forEachPair(List<Integer> island, Direction direction) {
        for (int one : island) {
            for (int other = 0; other < namespaces.size() - 1; other++) {
                if (!island.contains(other)) {
                    direction.change(one, other);
                    direction.change(other, one);
                }
            }
        }
    }

    /** The ports on which processes of a host listen for other hosts. */
    public List<Integer> openPorts(int host) {
        TreeSet<Integer> ports = new TreeSet<>();
        String tables = run("ip", "netns", "exec", namespace(host), "cat", "/proc/net/tcp", "/proc/net/tcp6");
        for (String line : tables.split("\n")) {
            String[] columns = line.strip().split("\\s+");
            boolean listens = columns.length > 9 && columns[3].equals(LISTENS);
            if (listens && !columns[1].startsWith("0100007F:") && !columns[1].contains("0100007F:")) {
                ports.add(Integer.parseInt(columns[1].substring(columns[1].lastIndexOf(':') + 1), 16));
            }
        }
        return List.copyOf(ports);
    }

    private String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new TuttiException("'" + String.join(" ", command) + "' failed: " + output.strip());
            }
            return output;
        } catch (IOException e) {
            throw new TuttiException("'" + command[0] + "' cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TuttiException("interrupted while '" + command[0] + "' ran", e);
        }
    }

    /** Takes the hosts away; what still runs on them loses its network. Those of a process that ends are taken away, too. */
    @Override
    public void close() {
        removeAll();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // this process is ending, and the hook does the same
        }
    }

    private synchronized void removeAll() {
        if (between != null) {
            between.close();
        }
        while (!namespaces.isEmpty()) {
            run("ip", "netns", "delete", namespaces.remove(namespaces.size() - 1));
        }
    }
}
